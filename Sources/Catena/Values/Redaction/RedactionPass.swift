import CatenaPlatform

/// Reads a document once and writes it again without its secrets.
///
/// The reader of each form continues after errors and writes as it reads, so that a truncated document is redacted too. The rules for text
/// redact what a reader cannot interpret.
package struct RedactionPass {
    /// Decides by all names, including the last key of each secret place.
    private var names: NameVerdicts
    /// Decides by names alone, for members whose place is known.
    private var namesOfPlaced: NameVerdicts
    /// Whether the redacted document keeps its form for programs that read it: numbers stay numbers, and objects keep their members.
    /// If not, everything below a secret's name becomes one mark.
    let keepsForm: Bool
    /// Returns whether a place of a JSON document is secret, given the keys and array indices that lead to it.
    let places: (([String]) -> Bool)?
    /// Patterns that are hidden in all text.
    let patterns: [Regex<AnyRegexOutput>]
    /// The secrets that are hidden by their value.
    package var known: KnownSecrets?
    /// The values that were hidden, collected only if the form is kept.
    package private(set) var found: [String] = []

    /// The number of documents around the current one.
    private var depth = 0
    /// The nesting depth of documents in texts, below which a text that contains a secret is hidden whole.
    private static let deepest = 4

    private init(_ names: Redaction, keepsForm: Bool, places: (([String]) -> Bool)?, patterns: [Regex<AnyRegexOutput>]) {
        (self.names, namesOfPlaced) = (NameVerdicts(names), NameVerdicts(names.byName))
        (self.keepsForm, self.places, self.patterns, known) = (keepsForm, places, patterns, names.known)
    }

    init(hiding names: Redaction) { self.init(names, keepsForm: false, places: nil, patterns: []) }

    /// Creates a pass whose result programs can still read.
    package init(
        keepingFormAndHiding names: Redaction, places: (([String]) -> Bool)? = nil, patterns: [Regex<AnyRegexOutput>] = []
    ) {
        self.init(names, keepsForm: true, places: places, patterns: patterns)
    }

    /// Creates a pass for a whole body. The places of its JSON are known from the root, up to a malformed token.
    init(ofBodyHiding names: Redaction) { self.init(names, keepsForm: false, places: names.secretPlaces, patterns: []) }

    // MARK: Reading

    /// Returns the body without its secrets, or `nil` if its form is unknown and it contains a secret.
    package mutating func redact(body: [UInt8], contentType: String?) -> [UInt8]? {
        let form = BodyForm(body, contentType: contentType)
        guard form.isKnown(in: body) else {
            // UTF-16 text is searched without its zeros, because the rules match ASCII.
            for words in [body, body.filter { $0 != 0 }]
            where redact(words, as: BodyForm(within: words)) != words || known?.hidden(in: words) != nil { return nil }
            return body
        }
        let shown = redact(body, as: form)
        return form == .binaryPropertyList ? shown : hideKnown(in: shown)
    }

    package mutating func redact(text: String) -> String {
        var text = text
        let shown = text.withUTF8 { nested(Array($0)) }
        return shown.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    package mutating func redact(query: String) -> String {
        String(decoding: hideKnown(in: form(Array(query.utf8)[...])), as: UTF8.self)
    }

    mutating func redact(_ document: [UInt8], as form: BodyForm) -> [UInt8] {
        switch form {
        case .json: json(document)
        case .xml: xml(document)
        case .form: self.form(document[...])
        case .parts(let boundary): parts(document, boundary: boundary)
        case .events: events(document)
        case .binaryPropertyList: binaryPropertyList(document)
        case .text: text(document[...])
        }
    }

    /// Redacts a text inside a document. Returns `nil` if the text contains no secret.
    mutating func nested(_ text: [UInt8]) -> [UInt8]? { nested(text, as: BodyForm(within: text)) }

    mutating func nested(_ text: [UInt8], as form: BodyForm) -> [UInt8]? {
        guard !text.isEmpty else { return nil }
        if depth >= Self.deepest {
            return hideKnown(in: self.text(text[...])) == text ? nil : Array(Redaction.mark.utf8)
        }
        depth += 1
        defer { depth -= 1 }
        let read = redact(text, as: form)
        let shown = form == .binaryPropertyList ? read : hideKnown(in: read)
        return shown == text ? nil : shown
    }

    /// Whether this is the outermost document, from whose root places are counted.
    var isOutermost: Bool { depth == 0 }

    // MARK: Hiding

    /// Hides the known secrets that no name has told.
    private mutating func hideKnown(in shown: [UInt8]) -> [UInt8] {
        known?.hidden(in: shown, keepsForm: keepsForm) ?? shown
    }

    mutating func isSecret(_ name: ArraySlice<UInt8>) -> Bool { names.isSecret(name) }

    /// Returns whether the name of a member is secret whatever the member's place is. The caller also checks the place.
    mutating func isSecret(placed name: ArraySlice<UInt8>) -> Bool { namesOfPlaced.isSecret(name) }

    /// Notes a hidden value, so that the caller can search for it elsewhere.
    mutating func note(_ secret: some Sequence<UInt8>) {
        if keepsForm { found.append(String(decoding: Array(secret), as: UTF8.self)) }
    }

    /// Returns whether the bytes are UTF-8 without control characters that a terminal would obey.
    static func isText(_ bytes: [UInt8]) -> Bool {
        guard bytes.withUnsafeBufferPointer({ String(wholeUTF8: $0) }) != nil else { return false }
        var former: UInt8 = 0
        for byte in bytes {
            let isControl = byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D || byte == 0x7F
            // Matches U+0080 to U+009F.
            if isControl || (former == 0xC2 && byte < 0xA0) { return false }
            former = byte
        }
        return true
    }
}

/// Decides which names are secret, and caches the results, because documents repeat their names.
private struct NameVerdicts {
    private let redaction: Redaction
    private var verdicts: [[UInt8]: Bool] = [:]
    private static let mostVerdicts = 512

    init(_ redaction: Redaction) {
        self.redaction = redaction
    }

    mutating func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        let name = Array(name)
        if let known = verdicts[name] { return known }
        let verdict = redaction.isSecret(name: String(decoding: name, as: UTF8.self))
        if verdicts.count < Self.mostVerdicts, name.count < 64 { verdicts[name] = verdict }
        return verdict
    }
}

/// The form of a document, determined by its first bytes and its media type.
enum BodyForm: Equatable {
    case json, xml, form, events, binaryPropertyList, text
    case parts(boundary: [UInt8]?)

    init(_ body: [UInt8], contentType: String?) {
        let type = (contentType ?? "").prefix { $0 != ";" }.trimmed().lowercased()
        switch type {
        case _ where type.hasPrefix("multipart/"): self = .parts(boundary: Self.boundary(of: contentType ?? ""))
        case "text/event-stream": self = .events
        default:
            self = Self.begin(body)
            guard self == .text else { return }
            if type.hasSuffix("xml") || type.hasSuffix("html") {
                self = .xml
            } else if type.hasSuffix("json") || type.hasSuffix("json-seq") || type.hasSuffix("ndjson") || type.hasSuffix("jsonl") {
                self = .json
            } else if type == "application/x-www-form-urlencoded" {
                self = .form
            }
        }
    }

    /// Returns whether the form is certain. A document with zero bytes is no text in UTF-8.
    func isKnown(in body: [UInt8]) -> Bool {
        switch self {
        case .parts, .binaryPropertyList: true
        case .text: RedactionPass.isText(body)
        case .json, .xml, .form, .events: !body.contains(0)
        }
    }

    /// Determines the form of a text inside another document.
    init(within text: [UInt8]) {
        self = Self.begin(text)
    }

    private static func begin(_ bytes: [UInt8]) -> BodyForm {
        if bytes.starts(with: "bplist".utf8) { return .binaryPropertyList }
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let first = bytes[start...].firstIndex(where: { $0 > 0x20 }) else { return .text }
        switch bytes[first] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
        case UInt8(ascii: "<"):
            return XMLName.beginsTag(bytes[(first + 1)...]) || bytes[(first + 1)...].first.map { "?!".utf8.contains($0) } == true
                ? .xml : .text
        default: return .text
        }
    }

    private static func boundary(of contentType: String) -> [UInt8]? {
        guard let rest = contentType.text(behind: "boundary=") else { return nil }
        let value = rest.prefix { $0 != ";" }.trimmed(of: "\" \t")
        return value.isEmpty ? nil : Array(value.utf8)
    }
}
