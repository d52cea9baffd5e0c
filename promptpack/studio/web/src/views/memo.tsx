/** A component that is drawn again only if its values differ. */
import {Component, type ComponentChild} from "preact";

export function memo<P extends object>(draw: (values: P) => ComponentChild, isSame: (old: P, now: P) => boolean) {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P) {
      return !isSame(this.props, next);
    }
    override render() {
      return draw(this.props);
    }
  };
}
