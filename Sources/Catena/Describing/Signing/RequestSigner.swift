import CatenaPlatform

/// Signs requests, after all params and headers have been merged and the credential has been added.
///
/// ``ParameterSigner`` covers most backends, and the product `CatenaSigners` has signers for WeChat Pay, Alipay and AWS. A custom signer receives the whole request and its params:
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
/// A signer is called for every attempt. An error that it throws fails the call.
public protocol RequestSigner: Sendable {
    /// Adds a signature to a request, once for each attempt.
    ///
    /// - Parameters:
    ///   - request: The request, complete except for the signature.
    ///   - params: The merged params of its query and body, before they were encoded. Params from the path's own query or from the sign-in are text.
    func sign(_ request: inout HTTPRequest, params: Params) async throws

    /// The names under which signatures are sent, whose values are hidden wherever a request is shown, and the keys of the signer
    /// (``Secrets/add(values:)``), which are hidden under every name.
    var secrets: Secrets { get }
}

extension RequestSigner {
    public var secrets: Secrets { Secrets() }
}

/// A signer of Catena, whose additions depend only on the request, the key, the time and a random number. So signed calls can still be cached
/// and shared.
package protocol OwnSigner: RequestSigner, SecretHolder {
    /// The part of cache keys that identifies the signer's key, or `nil` if responses do not depend on that key.
    var keyIdentity: String? { get }

    // Synchronous, because Catena's signers wait for nothing.
    func sign(_ request: inout HTTPRequest, params: Params) throws
}

extension OwnSigner {
    package var keyIdentity: String? { nil }
}

extension HTTPRequest {
    /// Throws if the header for the signature already contains a credential.
    package func checkAuthorizationIsFree() throws {
        guard headers.contains("Authorization") else { return }
        throw APIError.invalid(
            "signer", "the signature goes to the header Authorization, and the call has one already: leave its sign-in out")
    }
}

/// Adds a signature to an encoded body and leaves the rest of it unchanged.
package enum SignedBody {
    package static func isMultipart(_ request: HTTPRequest) -> Bool { mediaType(of: request).hasPrefix("multipart/") }

    private static func mediaType(of request: HTTPRequest) -> String { request.headers["Content-Type"]?.lowercased() ?? "" }

    /// Returns the body with the signature, or `nil` if the body has no place for it.
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
        // The member is cut out of an object, because only whole values can be written.
        let member = JSON([name: signature] as Params).text.dropFirst().dropLast()
        return body[..<end] + Data(((object.count == 0 ? "" : ",") + member).utf8) + body[end...]
    }

    /// Adds the signature before the end tag of the root element, which is the last one.
    private static func adding(_ signature: String, as name: String, toXML body: Data) throws -> Data? {
        guard XMLParameterEncoder.isName(name) else { throw APIError.invalid("signer", "\"\(name)\" is no name for an element of XML") }
        // Also refuses a body with such a tag in a text or a comment, which does no harm.
        for end in [">", " ", "/"] where body.firstPlace(of: Data("<\(name)\(end)".utf8)) != nil {
            throw APIError.invalid("signer", "the body has a \"\(name)\" already")
        }
        guard let slash = body.lastIndex(of: UInt8(ascii: "/")), body[..<slash].last == UInt8(ascii: "<") else { return nil }
        let end = slash - 1
        let rest = String(decoding: body[end...].dropFirst(2), as: UTF8.self).trimmedWhole()
        let root = rest.dropLast().trimmedWhole()
        guard rest.last == ">", XMLParameterEncoder.isName(root) else { return nil }
        return body[..<end] + Data("<\(name)>\(signature)</\(name)>".utf8) + body[end...]
    }
}

extension Params {
    /// Creates params from the pairs of a query, as text. A name that occurs several times becomes an array.
    ///
    /// - Parameter isIncluded: Returns whether a name is included.
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
