#if os(Linux)
public import Foundation

/// The reason why a Redis operation failed.
public struct RedisError: Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
    public let description: String
    public var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}

extension RedisError {
    private static let longestRefusal = 200

    /// Describes a server's error.
    ///
    /// Redis repeats the words of a command that it does not know, of which one may be a password or a token. The text ends where a word of the
    /// commands begins. Control characters are replaced, because they could steer a terminal.
    init(refusal message: String, of commands: [[Data]]) {
        var shown = message.prefix(10 * Self.longestRefusal)
        for word in commands.joined() {
            let beginning = String(decoding: word.prefix(8), as: UTF8.self)
            guard word.count >= 8, let repeated = shown.range(of: beginning) else { continue }
            shown = shown[..<repeated.lowerBound] + "***"
        }
        let words = shown.prefix(Self.longestRefusal).unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
            default: String(scalar)
            }
        }
        self.init("The server refuses: \(words.joined())")
    }
}
#endif
