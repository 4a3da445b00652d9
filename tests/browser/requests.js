// Defines window.isAnswered(): whether the server has answered every request of the page.
//
// Right after a click, before the answer begins, a page looks finished. So a request counts as open
// until a run has ended that began after the request. A request names a fragment, or "" for the
// whole page. Requests of a timer do not count, because there is always another one.

/** @param {Record<string, number>} numbers name of a field -> its number in Streamlit's messages */
(numbers) => {
  const sockets = new Set(), text = new TextDecoder();

  /** Return the values of each field of a message, as numbers or bytes. */
  const valuesOf = (bytes) => {
    const values = new Map();
    let at = 0;
    const readNumber = () => {
      let value = 0, scale = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte > 127);
      return value;
    };
    const readValue = (wire) => {
      if (wire === 0) return readNumber();
      const length = wire === 2 ? readNumber() : wire === 1 ? 8 : 4;
      at += length;
      return bytes.subarray(at - length, at);
    };
    while (at < bytes.length) {
      const tag = readNumber(), number = Math.floor(tag / 8);
      values.set(number, [...(values.get(number) ?? []), readValue(tag & 7)]);
    }
    return (name) => values.get(numbers[name]) ?? [];
  };

  const follow = (WebSocket) => class extends WebSocket {
    requests = [];
    requestsOfRun = [];

    constructor(url, ...rest) {
      super(url, ...rest);
      if (!String(url).includes("_stcore/stream")) return;
      sockets.add(this);
      this.addEventListener("close", () => sockets.delete(this));
      this.addEventListener("message", ({ data }) => {
        if (data instanceof ArrayBuffer) this.noteAnswer(valuesOf(new Uint8Array(data)));
      });
    }

    send(data) {
      if (data instanceof Uint8Array) for (const rerun of valuesOf(data)("rerun_script")) {
        const [fragment] = valuesOf(rerun)("fragment_id"), [byClock] = valuesOf(rerun)("is_auto_rerun");
        if (!byClock) this.requests.push(fragment ? text.decode(fragment) : "");
      }
      super.send(data);
    }

    noteAnswer(message) {
      if (message("new_session").length) {
        const [run] = valuesOf(message("metadata")[0])("run");
        const fragments = valuesOf(run)("fragment_ids").map((id) => text.decode(id));
        const isOfRun = (request) => !fragments.length || fragments.includes(request);
        this.requestsOfRun.push(...this.requests.filter(isOfRun));
        this.requests = this.requests.filter((request) => !isOfRun(request));
      }
      // A run that ends early is followed by the run that interrupted it.
      if (message("script_finished").some((end) => end !== numbers.FINISHED_EARLY_FOR_RERUN))
        this.requestsOfRun = [];
    }
  };

  // To hold messages back, Playwright replaces the browser's class by its own.
  let Followed = follow(window.WebSocket);
  Object.defineProperty(window, "WebSocket", {
    configurable: true,
    get: () => Followed,
    set: (WebSocket) => { Followed = follow(WebSocket); },
  });
  window.isAnswered = () => [...sockets]
    .every(({ requests, requestsOfRun }) => !requests.length && !requestsOfRun.length);
}
