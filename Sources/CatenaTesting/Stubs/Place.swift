/// A file and line of a test, for messages.
struct Place: Sendable, CustomStringConvertible {
    private let file: StaticString
    private let line: UInt

    init(_ file: StaticString, _ line: UInt) {
        self.file = file
        self.line = line
    }

    /// The name of the file, without its module, and the line.
    var description: String {
        "\(file.description.split(separator: "/").last ?? "?"):\(line)"
    }
}
