/// A mistake of callers, and the compiler's message about it.
struct Mistake: Sendable, CustomStringConvertible {
    let name: String
    /// The declarations that the code needs.
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

    /// The source file of a caller.
    var source: String {
        "import Catena\n\n\(given)\n#sourceLocation(file: \"Caller.swift\", line: 1)\n\(code)\n"
    }

    /// The lines by which the page about compiler messages shows the mistake.
    var quote: String {
        // The message may be the beginning of the compiler's.
        "\n\(code)\n// \(isWarning ? "warning" : "error"): \(message)\(note.map { "\n// note: \($0)\n" } ?? "")"
    }
}
