// A WebSocket that connects again by itself.

const WAITS = [300, 800, 1500, 3000, 6000]; // milliseconds before each new attempt

const CROWDED = 4001; // too many pages are open: the server's code, as in socket.py

export class Socket {
  /**
   * @param {string} path such as "/ws/play"
   * @param {{open: () => void, message: (message: object) => void, state: (isOpen: boolean, why: string) => void}} on
   *   `open` is called at every connection: there the page resumes what it showed;
   *   `why` says why the server refuses this page, which then does not connect again
   */
  constructor(path, on) {
    this.on = on;
    this.address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this.failures = 0;
    this.isClosed = false;
    this.back = () => { if (!this.isOpen && !this.isClosed) this.connect(); };
    addEventListener("online", this.back);
    this.pulse = setInterval(() => this.beat(), 20000);
    this.connect();
  }

  get isOpen() { return this.socket?.readyState === WebSocket.OPEN; }

  connect() {
    clearTimeout(this.timer);
    if (this.socket && this.socket.readyState < WebSocket.CLOSING) return;
    const socket = new WebSocket(this.address);
    this.socket = socket;
    let isServed = false;
    socket.onopen = () => {
      this.heard = Date.now();
      this.on.open();
    };
    socket.onmessage = ({ data }) => {
      this.heard = Date.now();
      if (!isServed) { // until now the server could have refused it
        isServed = true;
        this.failures = 0;
        this.on.state(true, "");
      }
      const message = JSON.parse(data);
      if (message.event !== "pong") this.on.message(message);
    };
    socket.onclose = ({ code, reason }) => {
      if (this.isClosed || socket !== this.socket) return;
      if (code === CROWDED) {
        this.on.state(false, reason || "Too many tabs of this page are open: close some of them.");
        this.close();
        return;
      }
      this.on.state(false, "");
      this.timer = setTimeout(() => this.again(), WAITS[Math.min(this.failures++, WAITS.length - 1)]);
    };
  }

  /** A server that was started again does not know this visitor's cookie: /api/me gives a new one. */
  async again() {
    if (this.failures > 1) await fetch("/api/me", { cache: "no-store" }).catch(() => {});
    if (!this.isClosed) this.connect();
  }

  /** A connection that is silent in spite of a ping is dead: phones that slept do not notice it. */
  beat() {
    if (!this.isOpen) return;
    if (Date.now() - this.heard > 50000) this.socket.close();
    else this.send({ do: "ping" });
  }

  /** Sends a message; false without a connection. */
  send(message) {
    if (!this.isOpen) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close() {
    this.isClosed = true;
    clearInterval(this.pulse);
    clearTimeout(this.timer);
    removeEventListener("online", this.back);
    this.socket?.close();
  }
}
