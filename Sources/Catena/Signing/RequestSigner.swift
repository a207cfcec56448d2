import Foundation

/// Signs requests, after everything has been merged and the credential has been added.
///
/// ``ParameterSigner`` does what most backends ask for. One of your own has the whole request and its params at hand:
///
/// ```swift
/// struct BodySigner: RequestSigner {
///     func sign(_ request: inout HTTPRequest, params: Params) async throws {
///         let digest = MessageDigest.hmacSHA256(request.body ?? Data(), key: key)
///         request.headers["X-Signature"] = digest.base64
///     }
/// }
/// ```
///
/// It is asked for every attempt, and what it throws fails the call.
public protocol RequestSigner: Sendable {
    /// - Parameters:
    ///   - request: The request as it would go out.
    ///   - params: The params that are in its query and its body, merged, before they were encoded; those that stand in the path's own query,
    ///     or came there by the sign-in, as text.
    func sign(_ request: inout HTTPRequest, params: Params) async throws

    /// Under which names signatures are sent, which are hidden there wherever a request is shown.
    var secrets: Secrets { get }
}

extension RequestSigner {
    public var secrets: Secrets { Secrets() }
}

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

extension Params {
    /// The params that a query says, as text; of a name that comes several times an array.
    ///
    /// - Parameter isIncluded: Which names count.
    init(query pairs: [Substring], where isIncluded: (String) -> Bool = { _ in true }) {
        self.init()
        for pair in pairs {
            let name = PercentDecoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true)
            guard isIncluded(name) else { continue }
            let value = PercentDecoding.decode(pair.drop { $0 != "=" }.dropFirst(), plusIsSpace: true)
            switch self[name]?.parameterNode {
            case nil: self[name] = value
            case .array(let values): self[name] = ParameterNode.array(values + [.string(value)])
            case let first?: self[name] = ParameterNode.array([first, .string(value)])
            }
        }
    }
}
