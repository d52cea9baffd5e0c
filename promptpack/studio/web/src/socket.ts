/** One WebSocket to the server: requests with answers, events without, and a new connection when it breaks. */
import type {Problem} from "./types";

type Answer = {id: number; ok?: unknown; problems?: Problem[]; skipped?: boolean};
export type Event = {event: string; of?: number} & Record<string, unknown>;

export class Refused extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems.map((one) => `${one.code} ${one.message}`).join("\n"));
  }
}
/** As in `promptpack/studio/session.py` and `open_texts.py`. */
const MAX_BYTES = 2_500_000;
const TOO_LONG = " ".repeat(1_000_001);
const tooLarge: Problem = {
  code: "PP994", severity: "error", message: "the message is larger than 2,500,000 bytes", hint: "shorten the text", path: "", line: 0, column: 0, end_line: 0, end_column: 0,
};

/** Return a message; null if the server would refuse it, and end the connection. */
function write(message: object): string | null {
  const text = JSON.stringify(message);
  return text.length * 3 <= MAX_BYTES || new TextEncoder().encode(text).length <= MAX_BYTES ? text : null;
}

/** A newer request of the same kind made this one needless, or the connection broke. */
export class Skipped extends Error {}

export class Socket {
  onEvent: (event: Event) => void = () => {};
  onState: (isOpen: boolean, why: string) => void = () => {};
  private socket: WebSocket | null = null;
  private next = 1;
  private waiting = new Map<number, {resolve: (value: never) => void; reject: (error: Error) => void}>();
  private pause = 250;
  /** The server keeps the drafts of each tab apart. */
  private tab = [...crypto.getRandomValues(new Uint8Array(8))].map((one) => one.toString(16).padStart(2, "0")).join("");

  connect() {
    const socket = new WebSocket(`ws://${location.host}/ws?tab=${this.tab}`);
    this.socket = socket;
    socket.onopen = () => this.onState(true, "");
    socket.onmessage = (message) => {
      this.pause = 250;
      this.receive(JSON.parse(message.data as string) as Answer & Event);
    };
    socket.onclose = (event) => {
      for (const one of this.waiting.values()) one.reject(new Skipped("the connection broke"));
      this.waiting.clear();
      this.onState(false, event.reason);
      if (this.socket !== socket) return;
      setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(this.pause * 2, 4000);
    };
  }

  /** End the connection when the page is left. */
  close() {
    this.socket?.close();
    this.socket = null;
  }

  /** Tell the server something that it does not answer; a text that is too large is one it refuses to show. */
  tell(word: string, fields: object) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const message = write({...fields, id: 0, do: word}) ?? write({...fields, text: TOO_LONG, id: 0, do: word});
    if (message) this.socket.send(message);
  }

  ask<T>(word: string, fields: object = {}, onStart?: (id: number) => void): Promise<T> {
    if (this.socket?.readyState !== WebSocket.OPEN) return Promise.reject(new Skipped("not connected"));
    const id = this.next++;
    const message = write({...fields, id, do: word});
    if (!message) return Promise.reject(new Refused([tooLarge]));
    const found = new Promise<T>((resolve, reject) => this.waiting.set(id, {resolve: resolve as never, reject}));
    this.socket.send(message);
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
