import Foundation

/// Splits the bytes of an agent into lines, each of which is a message. Keeps at most one message, whatever arrives.
struct AgentLines {
    enum Line: Equatable {
        case message(Data)
        /// The line has more bytes than a message may have. Its rest was read and dropped.
        case tooLong
    }

    private let read: () -> UInt8?

    /// - Parameter read: Returns the next byte, or `nil` at the end.
    init(_ read: @escaping () -> UInt8?) {
        self.read = read
    }

    /// Returns the next line that is not blank, or `nil` at the end. A last line may lack its line feed: what is missing of a message shows by itself.
    func next() -> Line? {
        var (line, isTooLong) = (Data(), false)
        while let byte = read() {
            guard byte == UInt8(ascii: "\n") else {
                if line.count == AgentMessage.longest { isTooLong = true } else { line.append(byte) }
                continue
            }
            if isTooLong || !Self.isBlank(line) { return isTooLong ? .tooLong : .message(line) }
            line = Data()
        }
        return isTooLong ? .tooLong : Self.isBlank(line) ? nil : .message(line)
    }

    private static func isBlank(_ line: Data) -> Bool { line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == 0x09 || $0 == 0x0D } }
}
