// Fetches calls that the events lack: older ones when the page opens, and those that did not fit into an event.

/** The pause between two pages, for apps with many calls. */
const pause = 25;
const pageSize = 200;
/** The maximum distance by which calls may be out of the order of their ids. */
const disorder = 20;

export class CatchUp {
    #connection;
    #store;
    #until = Infinity;
    #isReading = false;

    constructor(connection, store) {
        this.#connection = connection;
        this.#store = store;
    }

    /** Fetches from the newest call back to a call. Requests during a fetch wait for its end. */
    async read(until, signal) {
        this.#until = Math.min(this.#until, until);
        if (this.#isReading) return;
        this.#isReading = true;
        try {
            while (this.#until < Infinity && !signal.aborted) {
                const goal = this.#until;
                this.#until = Infinity;
                await this.#readBack(goal, signal);
            }
        } catch (error) {
            // The event stream also detects a lost connection, and reconnects.
            console.debug(error);
        } finally {
            this.#isReading = false;
            this.#until = Infinity;
        }
    }

    async #readBack(goal, signal) {
        let before = null;
        for (;;) {
            await new Promise((resolve) => setTimeout(resolve, pause));
            const { calls, more } = await this.#connection.get(`/api/calls?limit=${pageSize}${before === null ? "" : `&before=${before}`}`, signal);
            if (signal.aborted) return;
            this.#store.add(calls);
            if (!more || calls.length === 0 || Math.max(...calls.slice(-disorder).map((call) => call.id)) < goal) return;
            before = calls.at(-1).id;
        }
    }
}
