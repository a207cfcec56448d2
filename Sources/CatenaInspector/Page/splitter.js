// The line between the list and the details. The pointer and the arrow keys move it.

const smallest = 25;
const largest = 75;

export class Splitter {
    constructor(line, main) {
        this.line = line;
        this.main = main;
        this.set(Number(localStorage.getItem("details-width")) || 48);
        line.addEventListener("pointerdown", (event) => this.#drag(event));
        line.addEventListener("keydown", (event) => {
            const steps = { ArrowLeft: 3, ArrowRight: -3, Home: largest, End: -largest };
            if (!(event.key in steps)) return;
            event.preventDefault();
            this.set(this.share + steps[event.key]);
        });
    }

    /** Sets the width of the details in percent. */
    set(share) {
        this.share = Math.round(Math.min(Math.max(share, smallest), largest));
        this.main.style.setProperty("--details", `${this.share}%`);
        this.line.setAttribute("aria-valuenow", this.share);
        this.line.setAttribute("aria-valuemin", smallest);
        this.line.setAttribute("aria-valuemax", largest);
        localStorage.setItem("details-width", this.share);
    }

    #drag(event) {
        event.preventDefault();
        this.line.setPointerCapture(event.pointerId);
        const move = (moved) => {
            const { left, width } = this.main.getBoundingClientRect();
            this.set(100 - ((moved.clientX - left) / width) * 100);
        };
        this.line.addEventListener("pointermove", move);
        this.line.addEventListener("lostpointercapture", () => this.line.removeEventListener("pointermove", move), { once: true });
    }
}
