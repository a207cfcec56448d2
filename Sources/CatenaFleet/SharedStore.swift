import Catena
public import CatenaPlatform

/// A store that several machines share, such as Redis, for a shared `ResponseCache`, shared limits and a shared credential.
///
/// If an operation throws or takes longer than five seconds, the caller continues with its machine's own state. A failed operation may have
/// been carried out. A store need not interpret its values, because their readers validate them.
public protocol SharedStore: AnyObject, Sendable {
    /// Reads the values of several keys and the time of the store.
    func read(_ keys: [String]) async throws -> SharedReading

    /// Stores a value for a time; `nil` removes it.
    func write(_ value: Data?, for key: String, lifetime: Duration) async throws

    /// Replaces a value atomically if it is still the former one.
    ///
    /// - Parameters:
    ///   - former: The value that was read, or `nil` if there was none.
    ///   - value: The new value, or `nil` to remove the value.
    ///   - key: The key of the value.
    ///   - lifetime: The time for which the new value is stored.
    /// - Returns: Whether the new value is stored.
    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool
}

/// The reason why an operation of a ``SharedStore`` failed.
public struct SharedStoreError: Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
    /// The reason on one line.
    public let description: String
    public var errorDescription: String? { description }

    /// Creates an error with a reason, which may have words of the server. What looks like a secret, or would steer a terminal, is replaced.
    public init(_ reason: String) { description = Redaction.standard.line(reason) }
}

/// The result of reading from a ``SharedStore``.
public struct SharedReading: Sendable {
    /// The values in the order of the keys; `nil` for a key without a value.
    public var values: [Data?]
    /// The time since 1970 by the clock of the store, which is the same for all machines.
    public var time: Duration

    /// Makes a reading of values and the time at which they were read.
    public init(values: [Data?], time: Duration) {
        self.values = values
        self.time = time
    }

    subscript(place: Int) -> Data? { values.indices.contains(place) ? values[place] : nil }
}

extension SharedReading: CustomStringConvertible, CustomReflectable {
    /// The lengths of the values, without their contents.
    public var description: String { "\(values.map { $0.map { "\($0.count) bytes" } ?? "none" }) at \(time)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// Encodes a value for a shared store: a mark, a checksum of key and content, and the content.
///
/// The mark reveals a value of another version; the checksum reveals a damaged value or one of another key. Such values are ignored.
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

/// A time of a store's clock in its stored form: nanoseconds, clamped to a range that an integer holds.
struct SharedMoment: Codable, Sendable, Comparable {
    private let nanoseconds: Int64

    init(_ time: Duration) {
        let limit = Duration.seconds(9_000_000_000)
        let (seconds, attoseconds) = min(max(time, .zero), limit).components
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    var time: Duration { .nanoseconds(nanoseconds) }

    var milliseconds: Int { Int(nanoseconds / 1_000_000) }

    init(from decoder: any Decoder) throws { nanoseconds = max(try decoder.singleValueContainer().decode(Int64.self), 0) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    static func < (left: SharedMoment, right: SharedMoment) -> Bool { left.nanoseconds < right.nanoseconds }
}
