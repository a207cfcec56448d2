// Reads calls that the events did not tell of: older ones when the page comes, and those of a moment when more happened than an event holds.

/** Between two pages, so that an app with many calls has time for them. */
const pause = 25;
const pageSize = 200;
/** Calls are listed as they began, which is not quite the order of their ids. */
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

    /** Reads from the newest call back to that one. What is asked while it reads is read after that. */
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
            // The stream of events notices a lost connection as well, and begins again.
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
