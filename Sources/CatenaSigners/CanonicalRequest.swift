import Catena
import CatenaPlatform

/// A request in canonical form, which client and server derive alike despite changes in transit (AWS Signature Version 4, step 1).
struct CanonicalRequest {
    let text: String
    /// The names of the headers that are signed.
    let signedHeaders: String

    /// Creates the canonical form of a request.
    ///
    /// - Parameters:
    ///   - payload: The digest of the body, or the text in its place.
    ///   - isPathEncodedOnce: Whether the path is encoded once, with its empty segments, as S3 requires.
    init(_ request: HTTPRequest, payload: String, isPathEncodedOnce: Bool) {
        let address = request.address
        let path = isPathEncodedOnce ? Self.encoded(address.path) : Self.encodedTwice(address.path)
        let host = address.port.map { "\(address.host):\($0)" } ?? address.host
        var headers = ["host": [host]]
        for field in request.headers.fields where !Self.unsigned.contains(field.name.lowercased()) {
            headers[field.name.lowercased(), default: []].append(Self.withoutRuns(field.value))
        }
        let names = headers.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        signedHeaders = names.joined(separator: ";")
        let lines = names.map { "\($0):\(headers[$0, default: []].joined(separator: ","))\n" }.joined()
        text = [request.method.name, path, Self.query(address.query ?? ""), lines, signedHeaders, payload].joined(separator: "\n")
    }

    /// Headers that are set or changed after signing, by redirects, cookie jars, transports and proxies.
    private static let unsigned: Set<String> = [
        "accept-encoding", "authorization", "cookie", "if-range", "proxy-authorization", "range", "traceparent", "tracestate", "user-agent",
        "x-amzn-trace-id",
    ]

    /// Replaces runs of spaces with one space.
    private static func withoutRuns(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }

    private static func query(_ query: String) -> String {
        query.split(separator: "&")
            .map { pair in
                let name = pair.prefix { $0 != "=" }
                return (name: encoded(name, plusIsSpace: true), value: encoded(pair.dropFirst(name.count + 1), plusIsSpace: true))
            }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Returns the path as services other than S3 require it: encoded twice, without empty segments.
    private static func encodedTwice(_ path: String) -> String {
        let segments = path.split(separator: "/").map { PercentEncoding.segment.encode(String($0)) }
        return segments.isEmpty ? "/" : "/" + segments.joined(separator: "/") + (path.hasSuffix("/") ? "/" : "")
    }

    /// Percent-encodes a part of an address where necessary. Works byte by byte, because the text need not be UTF-8.
    ///
    /// - Parameter plusIsSpace: Whether the text is from a query, in which a plus is a space and slashes are encoded.
    private static func encoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            var byte = bytes[index]
            var isTriplet = false
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = PercentDecoding.hexValue(bytes[index + 1]),
                let low = PercentDecoding.hexValue(bytes[index + 2])
            {
                byte = high << 4 | low
                isTriplet = true
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            index += isTriplet ? 3 : 1
            let isSeparator = byte == UInt8(ascii: "/") && !isTriplet && !plusIsSpace
            if isSeparator || PercentEncoding.segment.keeps(byte) {
                result.append(byte)
            } else {
                result += "%\(Hexadecimal.text([byte]).uppercased())".utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
