import CatenaPlatform

/// Header fields in the order in which they were added. Names are compared without regard to case (RFC 9110 §5.1).
///
/// A name can have several values. ``subscript(_:)-(String)`` joins them as RFC 9110 §5.3 allows; ``values(for:)-(String)`` keeps them separate, as
/// `Set-Cookie` needs.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "text/plain", "X-Token": optionalToken]
/// headers["accept"]            // "text/plain"
/// headers.add("a=1", for: "Set-Cookie")
/// ```
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// A line of a header section.
    public struct Field: Sendable, Equatable {
        /// The name of the field, as written.
        public let name: String
        /// The value of the field.
        public let value: String

        /// Makes a field from its name and its value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order.
    public private(set) var fields: [Field]
    /// The secrets to hide when the headers are shown.
    var shown = RedactionContext()

    /// Makes headers without any field.
    public init() {
        fields = []
    }

    /// Makes headers from fields, keeping order and repetition.
    public init(_ fields: [Field]) {
        self.fields = fields
    }

    /// Makes headers from a literal. `nil` omits a header, and a repeated name keeps its last value.
    public init(dictionaryLiteral elements: (String, String?)...) {
        fields = []
        fields.reserveCapacity(elements.count)
        for (name, value) in elements {
            if let value { set(value, for: name) }
        }
    }

    /// Makes headers from a dictionary, sorted by name.
    public init(_ dictionary: [String: String]) {
        self.init()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { set(value, for: name) }
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// The number of fields; a name with several values counts once for each.
    public var count: Int { fields.count }

    /// The value of a header; several values are joined with a comma. Setting replaces all values; setting `nil` removes the header.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for field in fields where sameHeaderName(field.name, name) {
                joined = joined.map { $0 + ", " + field.value } ?? field.value
            }
            return joined
        }
        set {
            if let newValue {
                set(newValue, for: name)
            } else {
                remove(name)
            }
        }
    }

    /// Returns all values of a name, in order.
    public func values(for name: String) -> [String] {
        fields.compactMap { sameHeaderName($0.name, name) ? $0.value : nil }
    }

    /// Returns whether there is a field with this name.
    public func contains(_ name: String) -> Bool {
        fields.contains { sameHeaderName($0.name, name) }
    }

    /// Sets a single value, at the position of the first field with this name if there is one.
    public mutating func set(_ value: String, for name: String) {
        let field = Field(name: name, value: value)
        guard let index = fields.firstIndex(where: { sameHeaderName($0.name, name) }) else {
            fields.append(field)
            return
        }
        fields[index] = field
        if let next = fields[(index + 1)...].firstIndex(where: { sameHeaderName($0.name, name) }) {
            for index in fields.indices[next...].reversed() where sameHeaderName(fields[index].name, name) {
                fields.remove(at: index)
            }
        }
    }

    /// Adds a value without removing the existing ones.
    public mutating func add(_ value: String, for name: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Removes all fields with this name.
    public mutating func remove(_ name: String) {
        fields.removeAll { sameHeaderName($0.name, name) }
    }

    /// Copies every header of `other`. For a name in both, the values of `other` replace the existing ones.
    public mutating func merge(_ other: HTTPHeaders) {
        if other.isEmpty { return }
        guard !fields.isEmpty else {
            fields = other.fields
            return
        }
        fields.reserveCapacity(fields.count + other.fields.count)
        for (index, field) in other.fields.enumerated() {
            if other.fields[..<index].contains(where: { sameHeaderName($0.name, field.name) }) {
                add(field.value, for: field.name)
            } else {
                set(field.value, for: field.name)
            }
        }
    }
}

/// Compares two header names without regard to ASCII case.
package func sameHeaderName(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    // Most names are written in the same way, and comparing two short strings is fast.
    if left == right { return true }
    var rest = right.utf8.makeIterator()
    for byte in left.utf8 {
        guard let other = rest.next(), byte == other || lowercased(byte) == lowercased(other) else { return false }
    }
    return true
}

private func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
}

extension HTTPHeaders {
    /// The announced length of the body, or `nil` if it is unknown or is the length of compressed data.
    var bodyLength: Int64? {
        guard !hasContentCoding, let text = self["Content-Length"], let length = Int64(text), length >= 0 else { return nil }
        return length
    }

    /// Whether the body was encoded with a content coding (RFC 9110 §8.4).
    package var hasContentCoding: Bool { self["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false }
}

extension HTTPHeaders {
    /// The approximate size of the fields in bytes.
    var size: Int {
        fields.withUnsafeBufferPointer { fields in
            var size = 0
            for index in fields.indices { size += 64 + fields[index].name.utf8.count + fields[index].value.utf8.count }
            return size
        }
    }
}

extension Data {
    /// Returns a copy of the first bytes, because a slice would retain all bytes.
    func start(_ count: Int) -> Data { Data([UInt8](prefix(count))) }
}

extension HTTPHeaders {
    /// Applies the changes between `original` and `changed` to these headers.
    mutating func change(as changed: HTTPHeaders, was original: HTTPHeaders) {
        guard changed != original else { return }
        for name in (original.fields + changed.fields).map(\.name) {
            let values = changed.values(for: name)
            if values != original.values(for: name) { replace(name, with: values) }
        }
    }

    /// Replaces all values of a header.
    mutating func replace(_ name: String, with values: [String]) {
        remove(name)
        for value in values { add(value, for: name) }
    }
}
