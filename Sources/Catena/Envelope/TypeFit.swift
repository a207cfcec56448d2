/// The keys that a type has asked for where it was decoded, as keys are compared.
struct AskedKeys: Sendable {
    struct Name: Sendable {
        /// As keys are compared.
        let name: String
        var isRequired: Bool
        var isFound: Bool
    }

    /// Whether the type has asked for any key.
    private(set) var hasAsked = false
    private(set) var asked = VocabularyWords()
    private(set) var required = VocabularyWords()
    private(set) var found = VocabularyWords()
    /// Whether a key was there that is none of an envelope.
    private(set) var findsOther = false
    /// Whether a key was there that begins with `error` and is no word.
    private(set) var findsErrorKey = false
    /// Whether the type takes a list, for which leniently one object may stand.
    var takesList = false
    /// The keys that are no words, if they are kept.
    private(set) var names: [Name] = []
    private let keepsNames: Bool

    init(keepsNames: Bool = false) {
        self.keepsNames = keepsNames
    }

    var findsAny: Bool { findsOther || findsErrorKey || !found.isEmpty }

    /// Notes that the type takes whatever keys there are.
    mutating func noteAll(isEmpty: Bool) {
        hasAsked = true
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
        if isFound {
            if compared.beginsWithError { findsErrorKey = true } else { findsOther = true }
        }
        guard keepsNames else { return }
        let name = key.comparedAsKey
        if let place = names.firstIndex(where: { $0.name == name }) {
            names[place].isRequired = names[place].isRequired || isRequired
            names[place].isFound = names[place].isFound || isFound
        } else {
            names.append(Name(name: name, isRequired: isRequired, isFound: isFound))
        }
    }
}

/// How a type fits a part of a response.
struct TypeFit: Sendable {
    enum Keys: Sendable {
        /// An array, a number, text: the type has no keys.
        case none
        /// A dictionary takes whatever keys there are.
        case dictionary
        case asked(AskedKeys)
    }

    /// Whether the type can be decoded from it.
    let decodes: Bool
    let keys: Keys

    static let unfit = TypeFit(decodes: false, keys: .none)

    /// Whether the type decodes a payload and finds something of its own there.
    var fitsPayload: Bool {
        guard decodes else { return false }
        if case .asked(let keys) = keys, keys.hasAsked { return keys.findsAny }
        return true
    }

    var asked: AskedKeys? {
        if case .asked(let keys) = keys, keys.hasAsked { keys } else { nil }
    }
}

/// How the type of a call fits a response: tried once for each part, when that is first of interest.
final class TypeTrial {
    private let fit: (JSONSpan) -> TypeFit
    private var known: [JSONSpan: TypeFit] = [:]

    init(_ fit: @escaping (JSONSpan) -> TypeFit) {
        self.fit = fit
    }

    /// How the type fits a part that was tried; `nil` if it was not.
    func known(_ span: JSONSpan) -> TypeFit? { known[span] }

    /// How the type fits the largest part that was tried: the whole, if that was.
    var largest: TypeFit? { known.max { $0.key.range.count < $1.key.range.count }?.value }

    func fit(_ span: JSONSpan) -> TypeFit {
        if let fit = known[span] { return fit }
        let made = fit(span)
        known[span] = made
        return made
    }
}
