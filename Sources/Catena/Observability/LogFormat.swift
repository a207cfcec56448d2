import Foundation

/// Writes calls down for people to read, without secrets.
struct LogFormat: Sendable {
    var redaction = Redaction.standard
    /// How many characters of a body are shown.
    var longestBody = 4096
    /// How many bytes of a body are read for that: a character has four at most.
    static let bytesRead = 4 * 4096

    /// `GET https://h/p → 200, 120 bytes in 12.3 ms [forum]`
    func line(_ call: RecordedCall) -> String {
        let redaction = redaction(of: call)
        var line = "\(call.request.method) \(redaction.redact(call.request.address)) → "
        switch (call.response, call.error) {
        case (let response?, let error?): line += "\(response.status), \(redaction.line(words(error)))"
        case (let response?, nil): line += "\(response.status), \(call.responseSize) bytes"
        case (nil, let error?): line += redaction.line(words(error))
        case (nil, nil): line += "no answer yet"
        }
        if !call.timings.phases.isEmpty { line += " in \(call.timings.total.milliseconds)" }
        if call.response?.source == .cache { line += " from the cache" }
        if call.attempt > 1 { line += " (attempt \(call.attempt))" }
        if let tag = call.tag { line += " [\(tag)]" }
        return redaction.byName.line(line)
    }

    /// What its tag hides.
    private func redaction(of call: RecordedCall) -> Redaction { call.request.redaction ?? redaction }

    private func words(_ error: APIError) -> String {
        "\(error.kind) \(error.code)" + (error.message.isEmpty ? "" : " \(error.message)")
    }

    /// A call whose request could not be made: `invalidRequest -1 host: there is none [forum]`
    func line(_ error: APIError, tag: Tag?) -> String {
        redaction.line(words(error) + (tag.map { " [\($0)]" } ?? ""))
    }

    /// The line, and below it the headers and bodies of both messages and how long each phase took.
    func verbose(_ call: RecordedCall) -> String {
        var lines = [line(call)]
        if !call.timings.phases.isEmpty { lines.append("  \(call.timings)") }
        let redaction = redaction(of: call)
        lines += message(call.request.headers, call.request.body, of: call.requestSize, redaction, mark: "  > ")
        if let response = call.response {
            lines += message(response.headers, response.body, of: call.responseSize, redaction, mark: "  < ")
        }
        return lines.joined(separator: "\n")
    }

    private func message(_ headers: HTTPHeaders, _ body: Data?, of size: Int, _ redaction: Redaction, mark: String) -> [String] {
        var lines = redaction.redact(headers).fields.map { "\($0.name): \($0.value)" }
        if let body, !body.isEmpty {
            lines.append("")
            let text = text(of: body, size, headers["Content-Type"], redaction)
            lines += text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        }
        // Line by line, so that nothing in a body can look like the next call.
        return lines.map { line in
            let shown = line.prefix(Redaction.longestLine)
            return mark + Redaction.unbroken(shown) + (shown.endIndex < line.endIndex ? "…" : "")
        }
    }

    private func text(of body: Data, _ size: Int, _ contentType: String?, _ redaction: Redaction) -> String {
        let body = ShownBody(body, of: size, contentType: contentType, hiding: redaction, limit: Self.bytesRead)
        guard case .text(let shown) = body.content else { return "(\(size) bytes)" }
        let start = shown.prefix(longestBody)
        return start.endIndex < shown.endIndex || body.isCut ? start + "… (\(size) bytes)" : shown
    }
}
