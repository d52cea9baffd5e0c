/** One WebSocket to the server: requests with answers, events without, and a new connection when it breaks. */
import type {Problem} from "./types";

type Answer = {id: number; ok?: unknown; problems?: Problem[]; skipped?: boolean};
export type Event = {event: string; of?: number} & Record<string, unknown>;

export class Refused extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems.map((one) => `${one.code} ${one.message}`).join("\n"));
  }
}
/** A newer request of the same kind made this one needless, or the connection broke. */
export class Skipped extends Error {}

export class Socket {
  onEvent: (event: Event) => void = () => {};
  onState: (isOpen: boolean) => void = () => {};
  private socket: WebSocket | null = null;
  private next = 1;
  private waiting = new Map<number, {resolve: (value: never) => void; reject: (error: Error) => void}>();
  private pause = 250;

  connect() {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    this.socket = socket;
    socket.onopen = () => {
      this.pause = 250;
      this.onState(true);
    };
    socket.onmessage = (message) => this.receive(JSON.parse(message.data as string) as Answer & Event);
    socket.onclose = () => {
      for (const one of this.waiting.values()) one.reject(new Skipped("the connection broke"));
      this.waiting.clear();
      this.onState(false);
      setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(this.pause * 2, 4000);
    };
  }

  tell(word: string, fields: object) {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({...fields, id: 0, do: word}));
    }
  }

  ask<T>(word: string, fields: object = {}, onStart?: (id: number) => void): Promise<T> {
    if (this.socket?.readyState !== WebSocket.OPEN) return Promise.reject(new Skipped("not connected"));
    const id = this.next++;
    const found = new Promise<T>((resolve, reject) => this.waiting.set(id, {resolve: resolve as never, reject}));
    this.socket.send(JSON.stringify({...fields, id, do: word}));
    onStart?.(id);
    return found;
  }

  private receive(message: Answer & Event) {
    if (message.event) return this.onEvent(message);
    const one = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (!one) return;
    if (message.problems) one.reject(new Refused(message.problems));
    else if (message.skipped) one.reject(new Skipped("a newer request waits"));
    else one.resolve(message.ok as never);
  }
}
