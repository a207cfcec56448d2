#if os(Linux)
import CatenaFleet
import Foundation

extension SharedStoreError {
    private static let longestRefusal = 200

    /// Describes a server's error.
    ///
    /// Redis repeats the words of a command that it does not know, of which one may be a password or a token. The text ends where a word of the
    /// commands begins, or of those that signed the connection in.
    init(refusal message: String, of commands: [[Data]], after greeting: [[Data]] = []) {
        var bytes = Data(message.utf8.prefix(10 * Self.longestRefusal))
        var isCut = false
        // Even a short word of AUTH is a secret in its own refusal. Of others, a short one would be found in every sentence.
        let own = commands.map { (words: $0.dropFirst(), least: $0.first == Data("AUTH".utf8) ? 1 : 8) }
        for command in own + greeting.map({ (words: $0.dropFirst(), least: 8) }) {
            for word in command.words where word.count >= command.least {
                guard let repeated = bytes.range(of: word.prefix(8)) else { continue }
                bytes = Data(bytes[..<repeated.lowerBound])
                isCut = true
            }
        }
        let shown = String(decoding: bytes, as: UTF8.self) + (isCut ? "***" : "")
        self.init("The server refuses: \(shown.prefix(Self.longestRefusal))")
    }
}
#endif
