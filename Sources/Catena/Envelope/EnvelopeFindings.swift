import Foundation

/// What one set of rules finds in an answer that is a JSON object: the verdict, and what it rests on.
struct EnvelopeFindings {
    /// Why an envelope is a failure.
    enum Refusal: Equatable {
        case flag(Int)
        case marker(Int)
        case code(Int)
        /// The media type alone says so.
        case mediaType(String)
    }

    let rules: EnvelopePlaces.Rules
    private(set) var code: (place: Int, value: ErrorCode)?
    private(set) var flag: (place: Int, value: Bool)?
    private(set) var message: (place: Int, value: String)?
    private(set) var payload: (place: Int, value: Range<Int>)?
    /// A code that does not count, because it is alone in what looks like a model.
    private(set) var isCodeIgnored = false
    private(set) var isEnvelope = false
    private(set) var refusal: Refusal?

    init(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument) {
        self.rules = rules
        flag = document.first(of: rules.flags) { $0.kind == .bool ? document.isTrue($0) : nil }
        message = document.first(of: rules.messages) { $0.kind == .null ? nil : document.text(at: $0) }
        payload = document.first(of: rules.payloads) { $0.kind == .null ? nil : $0.range }
        let marker = document.first(of: rules.failures) { document.isSomething($0) ? true : nil }
        let hasPayload = rules.payloads.contains { document.scan[$0] != nil }
        let hasCompany = hasPayload || rules.messages.contains { document.scan[$0] != nil }
        var lonely: (place: Int, value: ErrorCode)?
        for place in rules.codes {
            guard let span = document.scan[place], let value = document.code(at: span) else { continue }
            if rules.guarded.contains(place), !hasCompany, lonely != nil || !document.hasOneMember {
                // It may be part of a model; another one may be unmistakable.
                lonely = lonely ?? (place, value)
            } else {
                code = (place, value)
                break
            }
        }
        isCodeIgnored = code == nil && lonely != nil
        let isKnownByPayload = (rules.codes.isEmpty || !rules.failures.isEmpty) && rules.flags.isEmpty && hasPayload
        isEnvelope =
            flag != nil || marker != nil || code != nil || isKnownByPayload || rules.rules.mediaType != nil
        guard isEnvelope else { return }
        // What says that the call failed makes the code beside it one of the envelope.
        if flag?.value == false || marker != nil, code == nil, let lonely {
            code = lonely
            isCodeIgnored = false
        }
        if let flag, !flag.value {
            refusal = .flag(flag.place)
        } else if let marker {
            refusal = rules.rules.allowsPartialPayload && payload != nil ? nil : .marker(marker.place)
        } else if rules.rules.isFailureByType, let type = rules.rules.mediaType {
            refusal = .mediaType(type)
        } else if let code, !rules.rules.meansSuccess(code.value) {
            refusal = .code(code.place)
        }
    }
}

/// A JSON answer that has been scanned for the places of an envelope.
struct EnvelopeDocument {
    let text: Data
    let scan: JSONScan

    /// The first place that has something to say.
    func first<Value>(of places: Range<Int>, _ value: (JSONSpan) -> Value?) -> (place: Int, value: Value)? {
        for place in places {
            if let span = scan[place], let value = value(span) { return (place, value) }
        }
        return nil
    }

    /// A number that is no integer, a boolean, an array and an object are kept as their text, so that none is ever taken for 0.
    func code(at span: JSONSpan) -> ErrorCode? {
        switch span.kind {
        case .null: return nil
        case .number:
            let text = source(of: span)
            if let number = Int(text) ?? json(at: span)?.int { return .integer(number) }
            return .string(text)
        case .bool, .string, .array, .object: return .string(self.text(at: span))
        }
    }

    /// A string's characters; of anything else the JSON text.
    func text(at span: JSONSpan) -> String {
        guard span.kind == .string else { return source(of: span) }
        let inside = text.bytes(in: (span.range.lowerBound + 1)..<(span.range.upperBound - 1))
        // The scanner has found it to be UTF-8.
        if !inside.contains(UInt8(ascii: "\\")) { return String(decoding: inside, as: UTF8.self) }
        return json(at: span)?.string ?? source(of: span)
    }

    func isTrue(_ span: JSONSpan) -> Bool {
        text.bytes(in: span.range).first == UInt8(ascii: "t")
    }

    /// Neither `null`, `false`, 0 nor empty.
    func isSomething(_ span: JSONSpan) -> Bool {
        switch span.kind {
        case .null: false
        case .bool: isTrue(span)
        case .number: json(at: span)?.double != 0
        case .string: span.range.count > 2
        case .array, .object: text.bytes(in: span.range).dropFirst().dropLast().contains { $0 > 0x20 }
        }
    }

    /// Whether the document is an object with one member only.
    var hasOneMember: Bool { json(at: scan.root)?.object?.count == 1 }

    func json(at span: JSONSpan) -> JSON? { try? JSON(text, span) }

    private func source(of span: JSONSpan) -> String {
        String(decoding: text.bytes(in: span.range), as: UTF8.self)
    }
}

extension Data {
    /// The bytes of a range that counts from 0.
    func bytes(in range: Range<Int>) -> Data {
        self[(startIndex + range.lowerBound)..<(startIndex + range.upperBound)]
    }
}
