import Foundation

/// Adds a signature to a body that is encoded already, which stays as it is otherwise.
enum SignedBody {
    static func adding(_ signature: String, as name: String, to request: HTTPRequest) throws -> Data {
        let body = request.body ?? Data()
        let type = request.headers["Content-Type"]?.lowercased() ?? ""
        if type.contains("form-urlencoded") {
            let field = PercentEncoding.query.encode(name) + "=" + PercentEncoding.query.encode(signature)
            return body + Data(((body.isEmpty ? "" : "&") + field).utf8)
        }
        guard type.contains("json"), let object = (try? JSON(parsing: body))?.object,
            let end = body.lastIndex(of: UInt8(ascii: "}"))
        else {
            throw APIError.invalid("signer", "the signature cannot be added to a body that is neither a JSON object nor a form")
        }
        guard object[name] == nil else { throw APIError.invalid("signer", "the body has a \"\(name)\" already") }
        // Wrapped and unwrapped again, since only whole values are written.
        let member = JSON([name: signature] as Params).text.dropFirst().dropLast()
        return body[..<end] + Data(((object.count == 0 ? "" : ",") + member).utf8) + body[end...]
    }
}
