import Foundation

/// Signs requests, after everything has been merged and the credential has been added.
///
/// ``ParameterSigner`` does what most backends ask for, and there are signers for WeChat Pay, Alipay and AWS: `.weChatPayV3(…)` and the like. One
/// of your own has the whole request and its params at hand:
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
    /// Adds a signature to a request, once for each attempt.
    ///
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

/// A signer of Catena's own: what it adds follows from the request, its key, the time and chance. So calls whose responses may be kept and shared
/// stay such calls when they are signed.
protocol OwnSigner: RequestSigner {
    /// What tells its key from others in the keys of what is kept and shared; `nil` if responses do not depend on the key.
    var keyIdentity: String? { get }

    // Own signers wait for nothing.
    func sign(_ request: inout HTTPRequest, params: Params) throws
}

extension OwnSigner {
    var keyIdentity: String? { nil }
}

extension HTTPRequest {
    /// Refuses a second credential in the header where the signature goes.
    func checkAuthorizationIsFree() throws {
        guard headers.contains("Authorization") else { return }
        throw APIError.invalid(
            "signer", "the signature goes to the header Authorization, and the call has one already: leave its sign-in out")
    }
}

/// Adds a signature to a body that is encoded already, which stays as it is otherwise.
enum SignedBody {
    static func isMultipart(_ request: HTTPRequest) -> Bool { mediaType(of: request).hasPrefix("multipart/") }

    private static func mediaType(of request: HTTPRequest) -> String { request.headers["Content-Type"]?.lowercased() ?? "" }

    /// `nil` if the body has no place for it.
    static func adding(_ signature: String, as name: String, to request: HTTPRequest) throws -> Data? {
        guard let body = request.body else { return nil }
        let type = mediaType(of: request)
        if type.contains("form-urlencoded") {
            let fields = String(decoding: body, as: UTF8.self).split(separator: "&")
            guard Params(query: fields)[name] == nil else { throw APIError.invalid("signer", "the body has a \"\(name)\" already") }
            let field = PercentEncoding.query.encode(name) + "=" + PercentEncoding.query.encode(signature)
            return body + Data(((body.isEmpty ? "" : "&") + field).utf8)
        }
        if type.contains("json") { return try adding(signature, as: name, toJSON: body) }
        return type.contains("xml") ? try adding(signature, as: name, toXML: body) : nil
    }

    private static func adding(_ signature: String, as name: String, toJSON body: Data) throws -> Data? {
        guard let object = (try? JSON(parsing: body))?.object, let end = body.lastIndex(of: UInt8(ascii: "}")) else { return nil }
        guard object[name] == nil else { throw APIError.invalid("signer", "the body has a \"\(name)\" already") }
        // Wrapped and unwrapped again, since only whole values are written.
        let member = JSON([name: signature] as Params).text.dropFirst().dropLast()
        return body[..<end] + Data(((object.count == 0 ? "" : ",") + member).utf8) + body[end...]
    }

    /// In front of the end of the outermost element, which is the last one there is.
    private static func adding(_ signature: String, as name: String, toXML body: Data) throws -> Data? {
        guard XMLParameterEncoder.isName(name) else { throw APIError.invalid("signer", "\"\(name)\" is no name for an element of XML") }
        // What has a tag of this name in a text or a comment is taken for such a body, too, which does no harm.
        for end in [">", " ", "/"] where body.range(of: Data("<\(name)\(end)".utf8)) != nil {
            throw APIError.invalid("signer", "the body has a \"\(name)\" already")
        }
        guard let end = body.range(of: Data("</".utf8), options: .backwards)?.lowerBound else { return nil }
        let rest = String(decoding: body[end...].dropFirst(2), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let root = rest.dropLast().trimmingCharacters(in: .whitespacesAndNewlines)
        guard rest.last == ">", XMLParameterEncoder.isName(root) else { return nil }
        return body[..<end] + Data("<\(name)>\(signature)</\(name)>".utf8) + body[end...]
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
