import Catena
import Foundation

/// The answer of a tool: one page of a text, of bounded size, and what the agent does for the next page.
struct AgentAnswer: Sendable {
    /// The maximum number of bytes of a page: some 8,000 tokens, of which an agent reads several without losing its thread.
    static let longest = 24 << 10

    private(set) var texts: [String]
    var isError = false

    init(_ texts: [String], isError: Bool = false) {
        (self.texts, self.isError) = (texts, isError)
    }

    init(refusal: Doorkeeper.Refusal) {
        self.init([refusal.words.cut(to: 2000)], isError: true)
    }

    /// Creates the page of a text that begins at a cursor, which is the number of bytes before it.
    init(_ text: String, from cursor: String?) throws(Doorkeeper.Refusal) {
        let utf8 = text.utf8
        guard let start = cursor.map({ Int($0) }) ?? 0, (0...utf8.count).contains(start),
            let place = utf8.index(utf8.startIndex, offsetBy: start).samePosition(in: text.unicodeScalars)
        else { throw .init(status: 400, words: "There is no such cursor. Leave it out for the first page.") }
        let page = String(text[place...]).cut(to: Self.longest, mark: "")
        self.init([page])
        let end = start + page.utf8.count
        if end < utf8.count { addNext("\(end)", "\(utf8.count - end) bytes follow") }
    }

    /// Says how the next page is had.
    mutating func addNext(_ cursor: String, _ words: String) {
        texts.append("\(words): call the tool again with the same arguments and \"cursor\": \"\(cursor)\".")
    }

    mutating func add(_ note: String) { texts.append(note) }

    /// The result of `tools/call`.
    var result: Data {
        var output = JSONOutput()
        output.object { output in
            output.key("content")
            output.array(texts) { output, text in
                output.object { output in
                    output.member("type", "text")
                    output.member("text", text)
                }
            }
            output.member("isError", isError)
        }
        return output.data
    }
}

extension String {
    /// Returns the beginning of a text with at most so many bytes, and the mark if something is missing. Never cuts a code point.
    ///
    /// Counts bytes, because one character may have any number of them.
    func cut(to most: Int, mark: String = "…") -> String {
        guard utf8.count > most else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: most)
        while end > utf8.startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + mark
    }
}
