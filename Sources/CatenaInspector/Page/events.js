// Parses server-sent events from a stream of bytes.

/** Yields `{name, data}` with the data parsed as JSON. Skips comments, which are the app's pings. */
export async function* eventsIn(stream) {
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    let name = "message";
    let data = [];
    try {
        for (;;) {
            const { value, done } = await reader.read();
            if (done) return;
            const lines = (rest + value).split(/\r\n|\n/);
            rest = lines.pop();
            for (const line of lines) {
                if (line === "") {
                    if (data.length > 0) yield { name, data: JSON.parse(data.join("\n")) };
                    name = "message";
                    data = [];
                } else if (line.startsWith("event:")) {
                    name = line.slice(6).trim();
                } else if (line.startsWith("data:")) {
                    data.push(line.slice(5).trimStart());
                }
            }
        }
    } finally {
        reader.cancel().catch(() => {});
    }
}
