/// The parameters of a request, in the order in which they were written.
///
/// ```swift
/// var params: Params = ["page": 1, "ids": [1, 2, 3], "q": optionalText, "parent": .null]
/// params["page"] = 2
/// ```
///
/// `nil` leaves a parameter out, and `.null` sends JSON null. A key is sent once: a repeated key keeps its place and takes the last value. Two
/// sets are equal if they have equal values under the same keys in the same order.
///
/// A dictionary inside the literal is sorted by key; write `[…] as Params` to keep its order.
public struct Params: Sendable, ExpressibleByDictionaryLiteral {
    /// One parameter.
    public struct Member: Sendable, Equatable {
        /// The name under which the value is sent.
        public let key: String
        /// The value.
        public let node: ParameterNode
        /// Whether `Encodable` code has written the member under a key of its own, so that the strategies of an encoder apply to it.
        let isCoded: Bool

        /// Creates a parameter.
        public init(key: String, node: ParameterNode) {
            self.init(key: key, node: node, isCoded: false)
        }

        init(key: String, node: ParameterNode, isCoded: Bool) {
            (self.key, self.node, self.isCoded) = (key, node, isCoded)
        }

        public static func == (left: Member, right: Member) -> Bool { left.key == right.key && left.node == right.node }
    }

    /// All parameters, in order.
    public private(set) var members: [Member] = []

    /// The index of every key, once there are too many members for a scan. Empty for fewer members, as in most requests. Keys are compared
    /// by their bytes, as on servers.
    private var places: [ExactText: Int] = [:]
    private static let largestScan = 32

    /// Creates an empty set.
    public init() {}

    /// Creates a set from a literal, in which `nil` leaves the key out.
    public init(dictionaryLiteral elements: (String, (any ParameterValue)?)...) {
        members.reserveCapacity(elements.count)
        for (key, value) in elements {
            guard let value, let node = Self.node(of: value) else { continue }
            set(node, for: key)
        }
    }

    /// Creates a set from a dictionary, sorted by key.
    public init<Value: ParameterValue>(_ dictionary: [String: Value]) {
        members.reserveCapacity(dictionary.count)
        for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            guard let node = Self.node(of: value) else { continue }
            set(node, for: key)
        }
    }

    /// Creates a set from members. A later member replaces an earlier one with the same key.
    public init(_ members: some Sequence<Member>) {
        for member in members {
            set(member.node, for: member.key, isCoded: member.isCoded)
        }
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { members.isEmpty }

    /// The number of keys.
    public var count: Int { members.count }

    /// Whether the strategies of an encoder apply to a member.
    @inline(__always)
    var isCoded: Bool { members.withUnsafeBufferPointer { $0.contains { $0.isCoded } } }

    /// The keys, in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of a key. Setting keeps the key's place, or adds it at the end; setting `nil` removes it.
    public subscript(key: String) -> (any ParameterValue)? {
        get { place(of: key).map { members[$0].node } }
        set {
            if let newValue, let node = Self.node(of: newValue) {
                set(node, for: key)
            } else {
                remove(key)
            }
        }
    }

    /// Whether a key has a value, `.null` included.
    public func contains(_ key: String) -> Bool {
        place(of: key) != nil
    }

    /// Removes a key.
    public mutating func remove(_ key: String) {
        guard let place = place(of: key) else { return }
        members.remove(at: place)
        if !places.isEmpty { indexMembers() }
    }

    /// Removes any number of keys in one pass.
    package mutating func removeAll(_ keys: some Collection<String>) {
        if keys.isEmpty || isEmpty { return }
        let gone = Set(keys.map { ExactText($0) })
        members.removeAll { gone.contains(ExactText($0.key)) }
        if !places.isEmpty { indexMembers() }
    }

    /// Removes the keys of `other`.
    mutating func removeAll(of other: Params) {
        if isEmpty || other.isEmpty { return }
        members.removeAll { other.contains($0.key) }
        if !places.isEmpty { indexMembers() }
    }

    /// Adds the parameters of `other`. A key that both have keeps its place and takes the value of `other`.
    public mutating func merge(_ other: Params) {
        guard !isEmpty else {
            self = other
            return
        }
        for member in other.members {
            set(member.node, for: member.key, isCoded: member.isCoded)
        }
    }

    /// Returns these parameters with those of `other` merged over them.
    public func merging(_ other: Params) -> Params {
        var merged = self
        merged.merge(other)
        return merged
    }

    // Not inlined, because many loops set members, and none of them is slowed by a call. It takes the parts of a member, because a whole one would be
    // copied.
    @inline(never)
    mutating func set(_ node: ParameterNode, for key: String, isCoded: Bool = false) {
        let member = Member(key: key, node: node, isCoded: isCoded)
        if let place = place(of: key) {
            members[place] = member
            return
        }
        members.append(member)
        if !places.isEmpty {
            places[ExactText(key)] = members.count - 1
        } else if members.count > Self.largestScan {
            indexMembers()
        }
    }

    private func place(of key: String) -> Int? {
        places.isEmpty ? members.firstIndex { $0.key.hasSameBytes(as: key) } : places[ExactText(key)]
    }

    private mutating func indexMembers() {
        places.removeAll(keepingCapacity: true)
        guard members.count > Self.largestScan else { return }
        for (place, member) in members.enumerated() {
            places[ExactText(member.key)] = place
        }
    }

    /// Returns the node to store, or `nil` for a wrapped `nil`, as in a generic function called with an optional.
    private static func node<Value: ParameterValue>(of value: Value) -> ParameterNode? {
        let node = value.parameterNode
        if case .null = node, value is any OptionalValue { return nil }
        return node
    }
}

extension Params: Equatable {
    public static func == (left: Params, right: Params) -> Bool {
        left.members == right.members
    }
}

extension Params: ParameterValue {
    /// An object with these members.
    public var parameterNode: ParameterNode { .object(self) }
}

extension Params: CustomStringConvertible {
    /// The params as JSON, without secrets.
    public var description: String {
        let shown = members.map { member in
            Redaction.current.isSecret(name: member.key)
                ? "\(member.key): \(Redaction.mark)"
                : "\(member.key): \(Redaction.current.redact(text: JSON(["value": member.node])["value"].text))"
        }
        return "[" + shown.joined(separator: ", ") + "]"
    }
}

extension Params.Member: CustomStringConvertible {
    public var description: String { Params([self]).description }
}

extension Params: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: members.map { Params([$0]).description }, displayStyle: .collection)
    }
}

extension Params.Member: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
