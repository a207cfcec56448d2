import Catena
import Foundation

/// Swift source for a call: code that sends it again, and a stub that returns its response in a test.
struct CallCode {
    let call: String
    /// The stub, or `nil` if there is no response to return.
    let stub: String?

    /// The maximum length of a body that is written out. A longer body becomes a variable.
    private static let longestBody = 4000

    /// - Parameter home: The address and headers that the tag's calls have by default.
    init?(
        _ inspected: InspectedCall, _ contents: InspectedCall.Contents, _ redaction: Redaction?,
        home: (address: HTTPAddress?, headers: HTTPHeaders)
    ) {
        guard let request = contents.request ?? contents.latest?.request else { return nil }
        var lines = [inspected.tag.map { "API.tag(\(Self.literal(of: $0)))" } ?? "API"]
        let address = request.address.redacted(by: redaction)
        var path = address.path
        if let own = home.address, own.origin == address.origin, path.hasPrefix(own.path) {
            path = String(path.dropFirst(own.path.count))
            if !path.hasPrefix("/") { path = "/" + path }
        } else {
            lines[0] += ".host(\(Self.quoted(address.origin)))"
        }
        let query = address.query ?? ""
        let params = ParamsCode.literal(of: request.address.query ?? "", shownAs: query)
        // A path keeps the query as it is.
        let target = params == nil ? "\(path)?\(query)" : path
        let verbs = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
        let name = request.method.name
        lines.append(
            verbs.contains(name)
                ? ".\(name.lowercased())(\(Self.quoted(target)))" : ".method(\(Self.quoted(name))).path(\(Self.quoted(target)))")
        if let params, !query.isEmpty { lines.append(".query(\(params))") }
        var names: Set<String> = []
        for field in request.headers.fields where field.name.lowercased() != "content-type" {
            let isFirst = names.insert(field.name.lowercased()).inserted
            if isFirst && home.headers[field.name] == field.value || redaction?.isSecret(name: field.name) == true { continue }
            let value = redaction?.redact(text: field.value) ?? field.value
            lines.append(".header(\(Self.quoted(field.name)), \(isFirst ? "" : "adding: ")\(Self.quoted(value)))")
        }
        lines += Self.body(of: request, contents, redaction)
        lines.append(".execute()")
        call = lines[0] + lines.dropFirst().map { "\n    " + $0 }.joined()
        stub = Self.stub(contents, path: path, method: verbs.contains(name) ? name.lowercased() : nil, redaction)
    }

    private static func stub(_ contents: InspectedCall.Contents, path: String, method: String?, _ redaction: Redaction?) -> String? {
        var response = contents.latest?.response
        if response == nil, case .success(let kept) = contents.end?.result { response = kept }
        guard let response, let method else { return nil }
        let status = response.status == 200 ? "" : ", status: \(response.status)"
        let place = "stubs.\(method)(\(quoted(path)))"
        guard !response.body.isEmpty else { return "\(place).reply(status: \(response.status))" }
        let type = response.headers["Content-Type"]
        let shown = ShownBody(BodyText.utf8(of: response), contentType: type, hiding: redaction)
        guard case .text(let text) = shown.content, text.utf8.count <= longestBody else {
            return "\(place).reply(body: body, contentType: \(quoted(type ?? "application/octet-stream"))\(status))"
        }
        let isJSON = (try? JSON(parsing: Data(text.utf8))) != nil
        return isJSON
            ? "\(place).reply(body: Data(\(quoted(text)).utf8), contentType: \"application/json\"\(status))"
            : "\(place).reply(text: \(quoted(text))\(status))"
    }

    private static func body(of request: HTTPRequest, _ contents: InspectedCall.Contents, _ redaction: Redaction?) -> [String] {
        let type = request.headers["Content-Type"] ?? "application/octet-stream"
        guard request.hasBody, !contents.isWithoutBodies else { return [] }
        let unknown = [".body(body, contentType: \(quoted(type)))"]
        guard let data = request.body, data.count <= longestBody, !request.headers.contains("Content-Encoding") else { return unknown }
        guard case .text(let text) = ShownBody(data, contentType: type, hiding: redaction).content else { return unknown }
        if type.hasPrefix("application/json"), (try? JSON(parsing: Data(text.utf8))) != nil {
            return [".json(try JSON(parsing: Data(\(quoted(text)).utf8)))"]
        }
        if type.hasPrefix("application/x-www-form-urlencoded"),
            let fields = ParamsCode.literal(of: String(decoding: data, as: UTF8.self), shownAs: text), !text.isEmpty
        {
            return [".form(\(fields))"]
        }
        return [".body(Data(\(quoted(text)).utf8), contentType: \(quoted(type)))"]
    }

    private static func literal(of tag: Tag) -> String {
        let isName = tag.name.first?.isLetter == true && tag.name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isName ? ".\(tag.name)" : quoted(tag.name)
    }

    /// Returns a Swift string literal, which is raw if the text has characters to escape.
    static func quoted(_ text: String) -> String {
        let isPlain = !text.unicodeScalars.contains { $0 == "\"" || $0 == "\\" || mustBeEscaped($0) }
        if isPlain { return "\"\(text)\"" }
        // Use enough number signs that no part of the text ends the literal. Compare bytes because a quotation mark and a following variation selector
        // are one `Character`, but the compiler sees the mark.
        var longest = 0
        var run: Int?
        for byte in text.utf8 {
            switch (byte, run) {
            case (UInt8(ascii: "\""), _), (UInt8(ascii: "\\"), _): run = 0
            case (UInt8(ascii: "#"), let count?): run = count + 1
            default: run = nil
            }
            longest = max(longest, run ?? 0)
        }
        let marks = String(repeating: "#", count: longest + 1)
        let escaped = text.unicodeScalars.map { scalar in
            mustBeEscaped(scalar) ? "\\\(marks)u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return "\(marks)\"\(escaped.joined())\"\(marks)"
    }

    private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool { scalar.isControl || scalar == "\u{2028}" || scalar == "\u{2029}" }
}
