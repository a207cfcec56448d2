public import Foundation

/// A store that several machines have in common, such as Redis: for a shared ``ResponseCache``, shared limits and a shared credential.
///
/// Whatever fails throws, and the caller goes on with what its own machine has. An operation that takes longer than five seconds counts as failed. A
/// store need not know what it keeps: values are checked by who reads them.
public protocol SharedStore: AnyObject, Sendable {
    /// Reads the values of several keys and the time of the store.
    func read(_ keys: [String]) async throws -> SharedReading

    /// Keeps a value for a time; `nil` removes it.
    func write(_ value: Data?, for key: String, lifetime: Duration) async throws

    /// Replaces a value if it is still the former one, in one step.
    ///
    /// - Parameters:
    ///   - former: What was read; `nil` if there was nothing.
    ///   - value: What is kept from now on; `nil` removes the value.
    ///   - key: Under which key.
    ///   - lifetime: For how long it is kept.
    /// - Returns: Whether the new value is there now.
    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool
}

/// What a ``SharedStore`` has read.
public struct SharedReading: Sendable {
    /// A value for each key, in their order; `nil` where there is none.
    public var values: [Data?]
    /// The time by the clock of the store, the same for all machines: since 1970.
    public var time: Duration

    /// Makes a reading of values and the time at which they were read.
    public init(values: [Data?], time: Duration) {
        self.values = values
        self.time = time
    }

    subscript(place: Int) -> Data? { values.indices.contains(place) ? values[place] : nil }
}

extension SharedReading: CustomStringConvertible, CustomReflectable {
    /// How long the values are, and nothing of what is in them.
    public var description: String { "\(values.map { $0.map { "\($0.count) bytes" } ?? "none" }) at \(time)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// How a value is written to a shared store: a mark, a checksum of the key and the content, the content.
///
/// What another version wrote is told by the mark; what is damaged, or was meant for another key, by the checksum. Both count as nothing.
enum SharedValue {
    private static let mark = Data("Catena shared 1\n".utf8)
    private static let checksumLength = 32

    static func seal(_ content: Data, for key: String) -> Data { mark + checksum(of: content, key) + content }

    static func open(_ value: Data?, of key: String) -> Data? {
        guard let value, value.starts(with: mark) else { return nil }
        let content = Data(value.dropFirst(mark.count + checksumLength))
        return value.dropFirst(mark.count).prefix(checksumLength) == checksum(of: content, key) ? content : nil
    }

    static func seal(_ content: some Encodable, for key: String) throws -> Data { seal(try JSONEncoder().encode(content), for: key) }

    static func open<Content: Decodable>(_ value: Data?, of key: String, as type: Content.Type) -> Content? {
        open(value, of: key).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }

    private static func checksum(of content: Data, _ key: String) -> Data {
        Data(MessageDigest.sha256(Data("\(key.utf8.count):\(key)".utf8) + content).bytes)
    }
}

/// A moment of a store's clock as it is written: in nanoseconds, as far as those can be counted.
struct SharedMoment: Codable, Sendable, Comparable {
    private let nanoseconds: Int64

    init(_ time: Duration) {
        let limit = Duration.seconds(9_000_000_000)
        let (seconds, attoseconds) = min(max(time, .zero), limit).components
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    var time: Duration { .nanoseconds(nanoseconds) }

    init(from decoder: any Decoder) throws { nanoseconds = max(try decoder.singleValueContainer().decode(Int64.self), 0) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    static func < (left: SharedMoment, right: SharedMoment) -> Bool { left.nanoseconds < right.nanoseconds }
}
