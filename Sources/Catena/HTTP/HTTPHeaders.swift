import Foundation

/// Header fields in the order in which they were added, with names compared without regard to case (RFC 9110 §5.1).
///
/// A name can hold several values; ``subscript(_:)`` joins them as RFC 9110 §5.3 allows, ``values(for:)`` keeps them apart, which
/// `Set-Cookie` needs.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "text/plain", "X-Token": optionalToken]
/// headers["accept"]            // "text/plain"
/// headers.add("a=1", for: "Set-Cookie")
/// ```
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One line of a header section.
    public struct Field: Sendable, Equatable {
        /// The name of the field, as it was written.
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
    /// How the headers are shown.
    var shown = RedactionContext()

    /// Makes headers without any field.
    public init() {
        fields = []
    }

    /// Makes headers from fields, keeping order and repetition.
    public init(_ fields: [Field]) {
        self.fields = fields
    }

    /// A literal in which `nil` leaves the header out and a name that comes twice keeps its last value.
    public init(dictionaryLiteral elements: (String, String?)...) {
        fields = []
        fields.reserveCapacity(elements.count)
        for (name, value) in elements {
            if let value { set(value, for: name) }
        }
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// The number of fields; a name with several values counts once for each.
    public var count: Int { fields.count }

    /// The value of a header; several are joined with a comma. Setting replaces them all, setting `nil` removes the header.
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

    /// All values of one name, in order.
    public func values(for name: String) -> [String] {
        fields.compactMap { sameHeaderName($0.name, name) ? $0.value : nil }
    }

    /// Whether there is a field of this name.
    public func contains(_ name: String) -> Bool {
        fields.contains { sameHeaderName($0.name, name) }
    }

    /// Sets one value, in the place of the first one of that name if there is one.
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

    /// Adds a value beside the ones already there.
    public mutating func add(_ value: String, for name: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Removes all fields of this name.
    public mutating func remove(_ name: String) {
        fields.removeAll { sameHeaderName($0.name, name) }
    }

    /// Takes over every header of `other`; where both have a name, all values of `other` replace those here.
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
func sameHeaderName(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    // As nearly all write it; two short texts are compared in a moment.
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
    /// The length of the body that they announce; `nil` if it is not known, or if it is the length of something compressed.
    var bodyLength: Int64? {
        guard !hasContentCoding, let text = self["Content-Length"], let length = Int64(text), length >= 0 else { return nil }
        return length
    }

    /// Whether the bytes went through a content coding on their way (RFC 9110 §8.4).
    var hasContentCoding: Bool { self["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false }
}

extension HTTPHeaders {
    /// About how many bytes the fields take.
    var size: Int {
        fields.withUnsafeBufferPointer { fields in
            var size = 0
            for index in fields.indices { size += 64 + fields[index].name.utf8.count + fields[index].value.utf8.count }
            return size
        }
    }
}

extension Data {
    /// The first bytes alone: a slice would keep the whole.
    func start(_ count: Int) -> Data { Data([UInt8](prefix(count))) }
}

extension HTTPHeaders {
    /// Changes these headers in the same way in which `changed` were made of `original`.
    mutating func change(as changed: HTTPHeaders, was original: HTTPHeaders) {
        guard changed != original else { return }
        for name in (original.fields + changed.fields).map(\.name) {
            let values = changed.values(for: name)
            if values != original.values(for: name) { replace(name, with: values) }
        }
    }

    /// Gives a header these values in place of its own.
    mutating func replace(_ name: String, with values: [String]) {
        remove(name)
        for value in values { add(value, for: name) }
    }
}
