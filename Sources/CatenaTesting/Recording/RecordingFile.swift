import Catena
import CatenaArchive
import CatenaPlatform

/// The file of a recording, in HAR 1.2.
struct RecordingFile: Sendable {
    let url: URL

    var name: String { url.lastPathComponent }

    var isThere: Bool { LocalFile.exists(url.path) }

    /// Returns the calls that have a response, each with its JSON in the file.
    func read() throws -> [(call: RecordedCall, archived: JSON)] {
        let archive: JSON
        do {
            archive = try JSON(parsing: try LocalFile.contents(of: url))
        } catch {
            throw RecordingError(description: "\(name) cannot be read: \(error).")
        }
        guard let entries = archive.log.entries.array else {
            throw RecordingError(description: "\(name) is no HTTP archive: log.entries is missing.")
        }
        return try entries.enumerated().compactMap { index, entry in
            do throws(Fault) {
                return try Self.call(entry).map { ($0, entry) }
            } catch {
                throw RecordingError(description: "\(name) is no HTTP archive: log.entries[\(index)].\(error.reason).")
            }
        }
    }

    func write(_ calls: [RecordedCall], after former: [JSON]) throws {
        let builder = HTTPArchiveBuilder(redaction: nil)
        let added = try calls.map { try JSON(parsing: try JSONEncoder().encode(builder.entry($0))) }
        let creator: JSON = ["name": "CatenaTesting", "version": "1"]
        let archive: JSON = ["log": ["version": "1.2", "creator": creator, "entries": JSON(array: former + added)]]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try LocalFile.makeFolders(url.deletingLastPathComponent().path)
        // Only the owner can read the file, because responses may be confidential even without secrets.
        try OwnerOnlyFile.write(try encoder.encode(archive), to: url, isDurable: false)
    }

    // MARK: Reading an entry

    private struct Fault: Error {
        let reason: String
    }

    /// Parses an entry, or returns `nil` if the call got no response. Requires only the needed fields, because browsers omit many that HAR demands.
    private static func call(_ entry: JSON) throws(Fault) -> RecordedCall? {
        guard let method = entry.request.method.string else { throw Fault(reason: "request.method is no text") }
        guard let text = entry.request.url.string, let address = try? HTTPAddress(parsing: text) else {
            throw Fault(reason: "request.url is no address")
        }
        guard let status = entry.response.status.int else { throw Fault(reason: "response.status is no number") }
        guard status != 0 else { return nil }
        let posted = entry.request.postData
        let request = HTTPRequest(
            method: HTTPMethod(method), address: address, headers: headers(entry.request.headers),
            body: try body(posted["text"], posted["_encoding"], "request.postData"))
        let content = entry.response.content
        var response = HTTPResponse(
            status: status, headers: headers(entry.response.headers),
            body: try body(content["text"], content["encoding"], "response.content") ?? Data(), address: address)
        response.source = .stub
        return RecordedCall(request: request, started: Date(), response: response)
    }

    private static func body(_ text: JSON, _ encoding: JSON, _ place: String) throws(Fault) -> Data? {
        guard encoding.string == "base64" else { return text.string.map { Data($0.utf8) } }
        guard let data = text.string.flatMap({ Data(base64Encoded: $0) }) else { throw Fault(reason: "\(place).text is no base64") }
        return data
    }

    private static func headers(_ pairs: JSON) -> HTTPHeaders {
        let fields = (pairs.array ?? []).compactMap { pair -> HTTPHeaders.Field? in
            // Browsers also write the pseudo-header fields of HTTP/2 (RFC 9113 §8.3).
            guard let name = pair.name.string, let value = pair.value.string, !name.hasPrefix(":") else { return nil }
            return HTTPHeaders.Field(name: name, value: value)
        }
        return HTTPHeaders(fields)
    }
}
