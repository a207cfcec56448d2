import Catena
import Foundation

/// A request or a response, as the page shows it.
struct ShownMessage {
    private var method: String?
    private var url: String?
    private var status: Int?
    private var headers: HTTPHeaders
    private var params: [(String, String)] = []
    private var body: Body?

    private struct Body {
        let size: Int
        let type: String?
        var text: String?
        var base64: String?
        var hidden: String?
        var isCut = false
    }

    /// - Parameter size: The body's full size in bytes, if only a part of it is stored.
    init(_ request: HTTPRequest, size: Int?, _ contents: InspectedCall.Contents, _ redaction: Redaction?) {
        method = request.method.name
        let url = redaction?.redact(request.address) ?? request.address.text
        self.url = url
        headers = redaction?.redact(request.headers) ?? request.headers
        params = Self.params(of: url)
        let type = request.headers["Content-Type"]
        if let source = request.bodySource {
            body = Body(size: source.length.map { Int($0) } ?? 0, type: type, hidden: "It is read while it is sent, and not kept.")
        } else if let data = request.body {
            body = Self.body(data, of: size, type, isEncoded: request.headers.hasContentCoding, contents, redaction)
        } else if let size {
            body = Self.body(Data(), of: size, type, contents, redaction)
        }
    }

    init(_ response: HTTPResponse, size: Int?, _ contents: InspectedCall.Contents, _ redaction: Redaction?) {
        status = response.status
        headers = redaction?.redact(response.headers) ?? response.headers
        let type = response.headers["Content-Type"]
        if contents.isPassedOn, response.body.isEmpty {
            body = Body(size: Int(contents.received), type: type, hidden: "It was read piece by piece, and is not kept.")
        } else if !response.body.isEmpty || size != nil {
            let text = BodyText.utf8(of: response)
            // `size` counts bytes before the conversion to UTF-8. A difference that the conversion makes does not mean that bytes are missing.
            body = Self.body(text, of: size, type, contents, redaction)
        }
    }

    private static func body(
        _ data: Data, of size: Int?, _ type: String?, isEncoded: Bool = false, _ contents: InspectedCall.Contents, _ redaction: Redaction?
    ) -> Body {
        var body = Body(size: size ?? data.count, type: type)
        guard !data.isEmpty || !contents.isWithoutBodies else {
            body.hidden = "It has been let go to make room for newer ones."
            return body
        }
        let shown = ShownBody(data, of: size.map { max($0, data.count) }, contentType: type, isEncoded: isEncoded, hiding: redaction)
        body.isCut = shown.isCut
        switch shown.content {
        case .text(let text): body.text = text
        case .bytes(let bytes): body.base64 = bytes.base64EncodedString()
        case .hidden: body.hidden = "There is a secret in it, and no telling where."
        }
        return body
    }

    private static func params(of url: String) -> [(String, String)] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return url[url.index(after: mark)...].split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return (
                PercentDecoding.decode(name, plusIsSpace: true),
                PercentDecoding.decode(pair[name.endIndex...].dropFirst(), plusIsSpace: true)
            )
        }
    }

    func write(into output: inout JSONOutput) {
        output.object { output in
            if let method { output.member("method", method) }
            if let url { output.member("url", url) }
            if let status { output.member("status", status) }
            output.key("headers")
            output.pairs(headers.fields.map { ($0.name, $0.value) })
            if url != nil {
                output.key("params")
                output.pairs(params)
            }
            output.key("body")
            guard let body else { return output.null() }
            output.object { output in
                output.member("size", body.size)
                output.member("type", body.type)
                if let text = body.text { output.member("text", text) }
                if let bytes = body.base64 { output.member("base64", bytes) }
                if let reason = body.hidden { output.member("hidden", reason) }
                if body.isCut { output.member("cut", true) }
            }
        }
    }
}
