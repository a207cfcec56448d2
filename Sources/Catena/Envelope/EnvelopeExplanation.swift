public import Foundation

extension Envelope {
    /// Explains how a response is read: the matching keys, the reason of success or failure, and the part to decode.
    ///
    /// ```swift
    /// print(Envelope.standard.explain(body, status: 200))
    /// ```
    ///
    /// The explanation has a few lines for people, without secrets. Later versions may change its text.
    public func explain(_ body: Data, status: Int = 200, headers: HTTPHeaders = [:]) -> String {
        explain(HTTPResponse(status: status, headers: headers, body: body, address: .placeholder))
    }

    /// Explains how a response is read; see ``explain(_:status:headers:)``.
    public func explain(_ response: HTTPResponse) -> String {
        explain(response, as: JSON.self, fit: nil)
    }

    /// - Parameters:
    ///   - fit: Says how the type fits a part of the response.
    ///   - request: Returns the request of the response.
    func explain(
        _ response: HTTPResponse, as type: Any.Type, fit: EnvelopeReader.Fit?, request: (@Sendable () -> HTTPRequest?)? = nil
    ) -> String {
        var reader = EnvelopeReader(envelope: self, decoded: type)
        reader.fit = fit
        reader.request = request
        let reading = EnvelopeResult(response)
        var lines = [
            "response: status \(response.status), \(response.headers["Content-Type"] ?? "no content type"), \(response.body.count) bytes"
        ]
        if let fault = places.fault { lines.append("envelope: \(fault)") }
        if places.hasAdapter {
            lines.append("envelope: read by an adapter")
        } else if reading.text.contains(where: { $0 > 0x20 }) {
            do throws(JSONSyntaxError) {
                let media = MediaType(foreignTo: response.headers["Content-Type"])?.name
                let scan = try JSONScan(reading.text, tree: places.tree(for: media))
                let document = places.document(reading.text, scan, of: media)
                lines += Explanation(reader: reader, document: document, media: media, type: type).lines(reading)
            } catch {
                lines.append("JSON: \(BodyExcerpt.isText(response.headers["Content-Type"]) ? error : error.withoutExcerpt)")
            }
        }
        do {
            let reading = try reader.verdict(on: response)
            lines.append("verdict: success, status \(response.status)" + (reading.code.map { " and code \($0.quoted)" } ?? ""))
            var chosen = reading
            if let guess = reading.contents.guess, let trial = reader.trial(reading) { chosen.payload = guess.choice(trial) }
            lines.append("decoded: " + decoded(chosen))
            if let suspected = reading.contents.suspectedFailure { lines.append("suspicious: " + suspected.advice) }
        } catch {
            let error = APIError.wrapping(error)
            lines.append("verdict: failure, \(error.kind) \(error.code.quoted)" + (error.message.isEmpty ? "" : ": \(error.message)"))
            if let suspected = SuspectedSuccess(error, by: self) { lines.append("suspicious: " + suspected.advice) }
            if error.kind == .business, let advice = error.explanation { lines.append("suspicious: " + advice) }
        }
        return lines.map(Redaction.current.line).joined(separator: "\n")
    }

    private func decoded(_ reading: EnvelopeResult) -> String {
        let place =
            switch reading.payload {
            case .body: "the whole body"
            case .range(let range): "bytes \(range.lowerBound)..<\(range.upperBound) of the body"
            case .bytes: "what the envelope makes of the body"
            case .missing: "nothing: there is no payload"
            case .empty: "nothing: the body is empty"
            }
        guard let bytes = reading.payloadBytes else { return place }
        return "\(place): " + reading.start(bytes)
    }
}

extension HTTPAddress {
    /// The address of responses that were not received from a server.
    static let placeholder = HTTPAddress(scheme: "https", host: "localhost", port: nil, path: "/", query: nil)
}

/// Describes the findings of an envelope in a document.
private struct Explanation {
    let reader: EnvelopeReader
    let document: EnvelopeDocument
    /// The media type of the response, or `nil` for JSON.
    let media: String?
    let type: Any.Type

    private var places: EnvelopePlaces { reader.envelope.places }

    func lines(_ reading: EnvelopeResult) -> [String] {
        let kind = document.scan.root.kind
        let isContainer = kind == .object || kind == .array
        guard isContainer, var findings = places.findings(in: document, of: media, reading.response.status) else {
            return [isContainer ? "envelope: none for this media type" : "envelope: none, the body is no object but of kind \(kind)"]
        }
        if kind == .array, findings.verdict == nil { return ["envelope: none, the body is no object but of kind array"] }
        let trial = reader.possibleTrial(of: findings, reading)
        if trial != nil { findings.judge(trial) }
        let rules = findings.rules
        let found = findings.declared
        var lines = [
            line("code", rules.codes, found?.code?.place), line("flag", rules.flags, found?.flag?.place),
            line("word", rules.words, found?.word?.place), line("message", rules.messages, found?.message?.place),
            line("payload", rules.payloads, found?.payload?.place),
        ].compactMap { $0 }
        if let standard = findings.standard { lines += SignExplanation(standard: standard, trial: trial, type: type).lines(findings) }
        lines.append("envelope: " + reason(findings))
        return lines
    }

    /// Returns the JSON text of a value, with quotes around strings, so that `"0"` and 0 look different.
    private func source(_ place: Int) -> String {
        guard let span = document.scan[place] else { return "" }
        let bytes = document.text.bytes(in: span.range)
        return String(decoding: bytes.prefix(Self.longestValue), as: UTF8.self) + (bytes.count > Self.longestValue ? "…" : "")
    }

    /// The maximum number of bytes shown of a value.
    private static let longestValue = 200

    private func line(_ part: String, _ looked: Range<Int>, _ found: Int?) -> String? {
        if let found {
            return "\(part): \"\(places.paths[found])\" is \(source(found))"
        }
        guard !looked.isEmpty else { return nil }
        return "\(part): none at " + looked.map { "\"\(places.paths[$0])\"" }.joined(separator: ", ")
    }

    private func reason(_ findings: EnvelopeFindings) -> String {
        if let verdict = findings.verdict { return (verdict.isSuccess ? "success, " : "failure, ") + reason(verdict, findings.rules.rules) }
        if findings.isEnvelope { return "success, since nothing says otherwise" }
        return findings.declared?.isCodeIgnored == true || findings.standard?.object.signs.isEmpty == false
            ? "none, since no sign counts in what may be a model: the object is taken as it is"
            : "none, since nothing says how the call went: the object is taken as it is"
    }

    private func reason(_ verdict: EnvelopeFindings.Verdict, _ rules: EnvelopeRules) -> String {
        switch verdict.ground {
        case .flag(let place): "since \"\(places.paths[place])\" is \(verdict.isSuccess ? "true" : "false")"
        case .marker(let place): "since there is something at \"\(places.paths[place])\""
        case .code: verdict.isSuccess ? "since the code means success" : "since the code is none of those that mean success"
        case .word(let place): "since \"\(places.paths[place])\" says so"
        case .message: "since the message is one that means success"
        case .mediaType: "as is each response of the media type \(rules.mediaType ?? "")"
        case .sign(let sign): "since " + SignExplanation.reason(sign)
        case .inner(let inner): "since \(SignExplanation.reason(inner.sign)) in \"\(inner.path.joined(separator: "."))\""
        case .errors: "since the array has nothing but failures"
        }
    }
}

extension ErrorCode {
    /// The code with quotes around strings, so that `"0"` and 0 look different.
    fileprivate var quoted: String {
        switch self {
        case .integer(let value): "\(value)"
        case .string(let text): "\"\(text)\""
        }
    }
}
