/// The signs of success and failure among the members of one object, in the order in which they decide.
///
/// A class, because verdicts and closures that use it would otherwise copy each of its members.
final class ObjectFindings: Sendable {
    private let reader: SignReader
    /// The values at declared places that have served as codes or flags.
    let served: [JSONSpan]

    /// - Parameter status: The HTTP status, or 0 for an inner object, unless the user has declared the status a success.
    init(_ members: EnvelopeMembers, _ rules: EnvelopePlaces.Rules, status: Int = 0, isInner: Bool = true, served: [JSONSpan] = []) {
        self.served = served
        reader = SignReader(members, rules, status: status, isInner: isInner)
    }

    var parts: ObjectParts { _read { yield reader.parts } }
    var signs: EnvelopeSigns { _read { yield reader.signs } }
    var rules: EnvelopePlaces.Rules { reader.rules }
    var members: EnvelopeMembers { _read { yield reader.parts.members } }
    var document: EnvelopeDocument { reader.parts.members.document }

    /// Returns the findings of an inner object.
    func inner(_ span: JSONSpan) -> ObjectFindings {
        ObjectFindings(document.members(of: span), rules, status: HTTPResponse.isSuccess(reader.status) ? 0 : reader.status)
    }

    /// Returns the first sign that counts, apart from the type of a call.
    func verdict() -> EnvelopeSign? { signs.first(where: counts) }

    /// Whether a sign counts. The cases are the table of decisions, in which the first row that applies decides.
    func counts(_ sign: EnvelopeSign) -> Bool {
        switch (parts.company, sign.isGood, sign.kind) {
        case _ where sign.weight == .declared: true
        case (.alone, _, _): true
        case _ where sign.weight == .weak: false
        case (.mixed, _, _): true
        case (_, true, .flag), (_, true, .code): true
        case (.thing, false, .flag): parts.hasWords
        case (.thing, false, .code): parts.hasMessage && (hasSubMessage || parts.hasPayload && !parts.hasFilledPayload)
        default: false
        }
    }

    private var hasSubMessage: Bool { members.list.contains { Self.subKeys.contains($0.key) } }

    private static let subKeys = [ComparedKey("sub_code"), ComparedKey("sub_msg")]

    /// Returns the code at the key of a sign, if there is one.
    func code(of sign: EnvelopeSign) -> ErrorCode? {
        if let integer = sign.integer { return .integer(integer) }
        return sign.hasCode ? members.code(members.list[sign.place]) : nil
    }
}
