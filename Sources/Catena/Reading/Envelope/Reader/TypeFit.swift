/// The keys that a type asked for during decoding, in the form in which keys are compared.
struct AskedKeys: Sendable {
    /// How the type uses a key.
    struct Use: Sendable {
        var isRequired: Bool
        var isFound: Bool
    }

    /// Whether the type has asked for a key.
    private(set) var hasAsked = false
    private var asked = VocabularyWords()
    private var required = VocabularyWords()
    private var found = VocabularyWords()
    /// Whether a key outside the vocabulary was found.
    private var findsOther = false
    /// Whether the type takes any keys.
    private var takesAll = false
    /// Whether the type decodes an array, in place of which lenient decoding accepts a single object.
    var takesList = false
    /// The keys outside the vocabulary, if names are kept.
    private var names: [String: Use] = [:]
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
        let former = names[name]
        names[name] = Use(isRequired: isRequired || former?.isRequired == true, isFound: isFound || former?.isFound == true)
    }

    /// Whether the type has asked for the key of a member.
    func asks(for members: EnvelopeMembers, _ member: JSONMember) -> Bool {
        takesAll && member.word == nil || use(of: member, in: members) != nil
    }

    /// Whether the type has found the key of a member.
    func finds(_ members: EnvelopeMembers, _ member: JSONMember) -> Bool {
        takesAll || use(of: member, in: members)?.isFound == true
    }

    /// Returns how the type uses the key of a member, or `nil` if it has not asked for the key.
    func use(of member: JSONMember, in members: EnvelopeMembers) -> Use? {
        guard let word = member.word else { return names.isEmpty ? nil : names[members.comparedName(member)] }
        return asked.contains(word) ? Use(isRequired: required.contains(word), isFound: found.contains(word)) : nil
    }
}

/// The result of decoding a type from a part of a response.
struct TypeFit: Sendable {
    /// Whether the type can be decoded from the part.
    let decodes: Bool
    /// Whether the type is a dictionary, which takes any keys.
    var isDictionary = false
    /// The keys that the type asked for, or `nil` if it has none, as an array, a number or a string.
    var asked: AskedKeys?

    /// Whether the type decodes a payload and finds a key of its own.
    var fitsPayload: Bool { decodes && asked?.findsAny != false }
}

/// Determines how the call's type fits the parts of a response. Each part is tried once, when it is needed.
final class TypeTrial {
    private let fit: (JSONSpan) -> TypeFit
    /// The fits of the parts that have been tried, by their positions.
    private(set) var known: [Range<Int>: TypeFit] = [:]

    init(_ fit: @escaping (JSONSpan) -> TypeFit) {
        self.fit = fit
    }

    /// The fit of the largest part that has been tried.
    var largest: TypeFit? { known.max { $0.key.count < $1.key.count }?.value }

    func fit(_ span: JSONSpan) -> TypeFit {
        if let fit = known[span.range] { return fit }
        let made = fit(span)
        known[span.range] = made
        return made
    }
}
