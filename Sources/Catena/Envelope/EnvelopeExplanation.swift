public import Foundation

extension Envelope {
    /// Says in words how an answer is read: which key matched, why it is a success or a failure, and what would be decoded.
    ///
    /// ```swift
    /// print(Envelope.standard.explain(body, status: 200))
    /// ```
    ///
    /// The text is for people: a few lines, without secrets, and it may change.
    public func explain(_ body: Data, status: Int = 200, headers: HTTPHeaders = [:]) -> String {
        explain(HTTPResponse(status: status, headers: headers, body: body, address: .placeholder))
    }

    /// Says in words how an answer is read.
    public func explain(_ response: HTTPResponse) -> String {
        explain(response, as: JSON.self)
    }

    func explain(_ response: HTTPResponse, as type: Any.Type) -> String {
        let reader = EnvelopeReader(envelope: self, decoded: type)
        let reading = Reading(response)
        var lines = [
            "answer: status \(response.status), \(response.headers["Content-Type"] ?? "no content type"), \(response.body.count) bytes"
        ]
        if let fault = places.fault { lines.append("envelope: \(fault)") }
        if places.hasAdapter {
            lines.append("envelope: read by an adapter")
        } else if !reading.text.isEmpty {
            do throws(JSONSyntaxError) {
                let document = EnvelopeDocument(text: reading.text, scan: try JSONScan(reading.text, tree: places.tree))
                lines += Explanation(places: places, document: document).lines(response)
            } catch {
                lines.append("JSON: \(error)")
            }
        }
        do {
            let reading = try reader.verdict(on: response)
            lines.append("verdict: success, status \(response.status)" + (reading.code.map { " and code \($0)" } ?? ""))
            lines.append("decoded: " + decoded(reading))
        } catch {
            let error = APIError.wrapping(error)
            lines.append("verdict: failure, \(error.kind) \(error.code)" + (error.message.isEmpty ? "" : ": \(error.message)"))
        }
        return lines.map(Redaction.current.line).joined(separator: "\n")
    }

    private func decoded(_ reading: Reading) -> String {
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
    /// For answers that nobody sent.
    fileprivate static let placeholder = HTTPAddress(scheme: "https", host: "localhost", port: nil, path: "/", query: nil)
}

/// Tells what an envelope finds in a document.
private struct Explanation {
    let places: EnvelopePlaces
    let document: EnvelopeDocument

    func lines(_ response: HTTPResponse) -> [String] {
        guard document.scan.root.kind == .object else {
            return ["envelope: none, the body is no object but of kind \(document.scan.root.kind)"]
        }
        guard let findings = places.findings(in: document, of: response) else {
            return ["envelope: none for this media type"]
        }
        let rules = findings.rules
        var lines = [
            line("code", rules.codes, findings.code.map { ($0.place, "\($0.value)") }),
            line("flag", rules.flags, findings.flag.map { ($0.place, "\($0.value)") }),
            line("message", rules.messages, findings.message.map { ($0.place, $0.value) }),
            line("payload", rules.payloads, findings.payload.map { ($0.place, "\($0.value.count) bytes") }),
        ].compactMap { $0 }
        lines.append("envelope: " + reason(findings))
        return lines
    }

    private func line(_ part: String, _ looked: Range<Int>, _ found: (place: Int, value: String)?) -> String? {
        guard !looked.isEmpty else { return nil }
        if let found {
            return "\(part): \"\(places.paths[found.place])\" is \(found.value)"
        }
        return "\(part): none at " + looked.map { "\"\(places.paths[$0])\"" }.joined(separator: ", ")
    }

    private func reason(_ findings: EnvelopeFindings) -> String {
        guard findings.isEnvelope else {
            return findings.isCodeIgnored
                ? "none, since the code stands beside neither a message nor a payload: the object is taken as it is"
                : "none, since there is no code: the object is taken as it is"
        }
        switch findings.refusal {
        case .flag(let place): return "failure, since \"\(places.paths[place])\" is false"
        case .marker(let place): return "failure, since there is something at \"\(places.paths[place])\""
        case .code: return "failure, since the code is none of those that mean success"
        case .mediaType(let type): return "failure, as is each answer of the media type \(type)"
        case nil: return findings.code == nil ? "success, since nothing says otherwise" : "success, since the code means success"
        }
    }
}
