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
        var bytes = Data(message.utf8.prefix(10 * Self.longestRefusal))
        var isCut = false
        for command in commands {
            // Even a short word of AUTH is a secret. Of others, a short one would be found in every sentence.
            let least = command.first.map { $0 == Data("AUTH".utf8) } == true ? 1 : 8
            for word in command.dropFirst() where word.count >= least {
                guard let repeated = bytes.range(of: word.prefix(8)) else { continue }
                bytes = Data(bytes[..<repeated.lowerBound])
                isCut = true
            }
        }
        let shown = String(decoding: bytes, as: UTF8.self) + (isCut ? "***" : "")
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
