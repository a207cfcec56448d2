/// The keys that a type asked for during decoding, in the form in which keys are compared.
struct AskedKeys: Sendable {
    struct Name: Sendable {
        /// The key, in the form in which keys are compared.
        let name: String
        var isRequired: Bool
        var isFound: Bool
    }

    /// Whether the type has asked for a key.
    private(set) var hasAsked = false
    private(set) var asked = VocabularyWords()
    private(set) var required = VocabularyWords()
    private(set) var found = VocabularyWords()
    /// Whether a key outside the vocabulary was found.
    private(set) var findsOther = false
    /// Whether the type takes any keys.
    private(set) var takesAll = false
    /// Whether the type decodes an array, in place of which lenient decoding accepts a single object.
    var takesList = false
    /// The keys outside the vocabulary, if names are kept.
    private(set) var names: [Name] = []
    /// The index of every name, once there are too many for a scan. Empty for fewer names, as in most types.
    private var places: [String: Int] = [:]
    private static let largestScan = 32
    private let keepsNames: Bool

    init(keepsNames: Bool = false) {
        self.keepsNames = keepsNames
    }

    var findsAny: Bool { findsOther || !found.isEmpty }

    /// Records that the type takes any keys.
    mutating func noteAll(isEmpty: Bool) {
        hasAsked = true
        takesAll = true
        if !isEmpty { findsOther = true }
    }

    mutating func note(_ key: String, isRequired: Bool, isFound: Bool) {
        hasAsked = true
        let compared = ComparedKey(key)
        if let word = compared.word {
            asked.insert(word)
            if isRequired { required.insert(word) }
            if isFound { found.insert(word) }
            return
        }
        if isFound { findsOther = true }
        guard keepsNames else { return }
        let name = key.comparedAsKey
        if let place = place(of: name) {
            names[place].isRequired = names[place].isRequired || isRequired
            names[place].isFound = names[place].isFound || isFound
        } else {
            append(Name(name: name, isRequired: isRequired, isFound: isFound))
        }
    }

    /// Whether the type has asked for the key of a member.
    func asks(for members: EnvelopeMembers, _ member: JSONMember) -> Bool {
        if let word = member.word { return asked.contains(word) }
        return takesAll || name(members, member) != nil
    }

    /// Whether the type has found the key of a member.
    func finds(_ members: EnvelopeMembers, _ member: JSONMember) -> Bool {
        if takesAll { return true }
        if let word = member.word { return found.contains(word) }
        return name(members, member)?.isFound == true
    }

    /// Whether the type needs the key of a member.
    func requires(_ members: EnvelopeMembers, _ member: JSONMember) -> Bool {
        if let word = member.word { return required.contains(word) }
        return name(members, member)?.isRequired == true
    }

    private func name(_ members: EnvelopeMembers, _ member: JSONMember) -> Name? {
        names.isEmpty ? nil : place(of: members.comparedName(member)).map { names[$0] }
    }

    private func place(of name: String) -> Int? {
        places.isEmpty ? names.firstIndex { $0.name == name } : places[name]
    }

    private mutating func append(_ name: Name) {
        names.append(name)
        if !places.isEmpty {
            places[name.name] = names.count - 1
        } else if names.count > Self.largestScan {
            for (place, name) in names.enumerated() { places[name.name] = place }
        }
    }
}

/// The result of decoding a type from a part of a response.
struct TypeFit: Sendable {
    enum Keys: Sendable {
        /// The type has no keys, such as an array, a number or a string.
        case none
        /// The type is a dictionary, which takes any keys.
        case dictionary
        case asked(AskedKeys)
    }

    /// Whether the type can be decoded from the part.
    let decodes: Bool
    let keys: Keys

    static let unfit = TypeFit(decodes: false, keys: .none)

    /// Whether the type decodes a payload and finds a key of its own.
    var fitsPayload: Bool {
        guard decodes else { return false }
        if case .asked(let keys) = keys, keys.hasAsked { return keys.findsAny }
        return true
    }

    var asked: AskedKeys? {
        if case .asked(let keys) = keys, keys.hasAsked { keys } else { nil }
    }
}

/// Determines how the call's type fits the parts of a response. Each part is tried once, when it is needed.
final class TypeTrial {
    private let fit: (JSONSpan) -> TypeFit
    private var known: [JSONSpan: TypeFit] = [:]

    init(_ fit: @escaping (JSONSpan) -> TypeFit) {
        self.fit = fit
    }

    /// Returns the fit of a part that has been tried, or `nil` if it has not.
    func known(_ span: JSONSpan) -> TypeFit? { known[span] }

    /// The fit of the largest part that has been tried.
    var largest: TypeFit? { known.max { $0.key.range.count < $1.key.range.count }?.value }

    func fit(_ span: JSONSpan) -> TypeFit {
        if let fit = known[span] { return fit }
        let made = fit(span)
        known[span] = made
        return made
    }
}
