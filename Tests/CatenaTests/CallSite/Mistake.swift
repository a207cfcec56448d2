/// Something that callers get wrong, and what the compiler says of it.
struct Mistake: Sendable, CustomStringConvertible {
    let name: String
    /// What the code takes for granted.
    var given = ""
    let code: String
    /// The line of the code, counted from 1, where the compiler complains.
    let line: Int
    let message: String
    var isWarning = false
    /// A note to the message that the guide quotes too.
    var note: String?
    var options: [String] = []

    var description: String { name }

    /// The file that a caller would write.
    var source: String {
        "import Catena\n\n\(given)\n#sourceLocation(file: \"Caller.swift\", line: 1)\n\(code)\n"
    }

    /// How the page about what the compiler says shows it.
    var quote: String {
        "```\n\(code)\n// \(isWarning ? "warning" : "error"): \(message)\n\(note.map { "// note: \($0)\n" } ?? "")```"
    }
}
