#if os(Linux)
import Catena
import Foundation
import Testing

extension InteropTests {
    /// Faults of a server over HTTP/2, frame by frame. `.ci/http2-faults.py` describes the scripts.
    @Suite("HTTP/2 faults", .enabled(if: InteropTests.faults != nil), .needsHTTP2) enum HTTP2Faults {
        /// The error codes of RFC 9113 §7, and one that is not registered.
        static let codes = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
            "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY",
            "HTTP_1_1_REQUIRED", "42",
        ]

        /// The codes after which the request is not sent again.
        static let finalCodes = codes.filter { $0 != "REFUSED_STREAM" && $0 != "HTTP_1_1_REQUIRED" }

        /// The end of a call.
        enum Ending: Sendable {
            /// A success with this body.
            case body(String)
            /// An error status.
            case status(Int)
            /// A failure of one of these kinds whose text contains one of the two strings.
            case failure(Set<APIError.Kind>, saying: String = "", String = "")
            /// A success with this body or a failure of one of these kinds, because the versions of libcurl accept different responses.
            case bodyOrFailure(String, Set<APIError.Kind>)
        }

        /// The kinds of a failure after which the connection cannot be used again.
        static let lost: Set<APIError.Kind> = [.connectionLost, .protocolViolation]

        /// Returns the possible kinds of the failure that an error code causes.
        static func kinds(of code: String) -> Set<APIError.Kind> {
            switch code {
            case "PROTOCOL_ERROR": [.protocolViolation]
            case "NO_ERROR", "INTERNAL_ERROR", "CANCEL", "REFUSED_STREAM": [.connectionLost]
            default: lost
            }
        }

        /// Sends a request with a script. Checks its end, the number of its sendings, and that the next call succeeds.
        static func expect(
            _ script: String, _ ending: Ending, isKept: Bool = false, sendings: Int? = 1, settings: String = "",
            of server: FaultOrigin.Server = .python,
            at location: SourceLocation = #_sourceLocation, _ prepare: @Sendable (Request) -> Request = { $0 }
        ) async throws {
            let origin = try await FaultOrigin(settings: settings, of: server)
            if isKept { await origin.expectNext(at: location) }
            await check(
                prepare(origin.call(script)).execute(.response(as: JSON.self)).result, ending, isSentOnce: sendings == 1, at: location)
            let arrivals = try await origin.arrivals()
            if let sendings { #expect(arrivals.count == sendings, "requests at the server", sourceLocation: location) }
            await origin.expectNext(at: location)
        }

        /// Compares the end of a call with the expected one.
        static func check(_ result: Result<Response<JSON>, any Error>, _ ending: Ending, isSentOnce: Bool, at location: SourceLocation) {
            let error: APIError
            switch result {
            case .success(let response):
                if isSentOnce { #expect(response.attempts == 1, sourceLocation: location) }
                let body = String(decoding: response.body, as: UTF8.self)
                switch ending {
                case .body(let expected), .bodyOrFailure(let expected, _): #expect(body == expected, sourceLocation: location)
                default: Issue.record("a response: \(response.status) \(body.prefix(40))", sourceLocation: location)
                }
                return
            case .failure(let failure as APIError): error = failure
            case .failure(let failure):
                Issue.record(failure, sourceLocation: location)
                return
            }
            let words = "\(error.kind): \(error.message) / \(error.underlying.map { "\($0)" } ?? "")"
            if isSentOnce { #expect(error.attempts == 1, "\(words)", sourceLocation: location) }
            switch ending {
            case .status(let status): #expect(error.status == status, "\(words)", sourceLocation: location)
            case .body: Issue.record("a failure: \(words)", sourceLocation: location)
            case .bodyOrFailure(_, let kinds): #expect(kinds.contains(error.kind), "\(words)", sourceLocation: location)
            case .failure(let kinds, let text, let other):
                #expect(kinds.contains(error.kind), "\(words)", sourceLocation: location)
                #expect(
                    text.isEmpty || words.contains(text) || !other.isEmpty && words.contains(other), "the reason is missing: \(words)",
                    sourceLocation: location)
            }
        }
    }

    /// A port of the server that produces the faults, with its own engine.
    struct FaultOrigin {
        /// The implementation of the server.
        enum Server {
            case python, node

            var control: String? { self == .python ? InteropTests.faults : InteropTests.nodeFaults }
        }

        struct Arrival: Decodable, Sendable {
            let method, path, `protocol`: String
            let connection, received: Int
            let isEnded, isRefused: Bool
            let nonce: String?
        }

        let port: Int
        let client: Client
        private let server: Server

        /// Opens a port.
        ///
        /// - Parameters:
        ///   - settings: The SETTINGS with which its connections begin, such as `3=10`.
        ///   - late: The delay of the SETTINGS in milliseconds. Node's server ignores it.
        ///   - isDistant: Whether the handshake of TLS takes half a second. Transfers wait for the SETTINGS as long as connecting took, so that a
        ///     busy machine may send them late. Node's server ignores it.
        ///   - isPlain: Whether the port is without TLS. Node's server has no such port.
        ///   - server: The implementation of the server.
        init(settings: String = "", late: Int = 0, isDistant: Bool = false, isPlain: Bool = false, of server: Server = .python) async throws
        {
            self.server = server
            let control = try InteropTests.request(to: server.control)
            let query: Params = ["settings": settings, "late": late, "slow": isDistant ? 500 : nil, "plain": isPlain ? 1 : nil]
            port = try await control.get("/listen").query(query).value(as: Int.self)
            client = Client(transport: try InteropTests.engine())
            client.configureDefaults { [port] defaults in
                defaults.host = "\(isPlain ? "http" : "https")://127.0.0.1:\(port)"
                defaults.envelope = .raw
                // By default long bodies are sent over HTTP/1.1.
                defaults.httpVersion = .http2
                // A call that hangs fails its test.
                defaults.timeout = .seconds(5)
            }
        }

        func call(_ script: String) -> Request {
            client.get("/fault").query(["script": script])
        }

        /// Returns the requests that the server has received at a path, without the excess ones that it refused.
        ///
        /// - Throws: An error if a script has a mistake.
        func arrivals(at path: String = "/fault") async throws -> [Arrival] {
            let control = try InteropTests.request(to: server.control)
            let all = try await control.get("/arrivals").query(["port": port]).value(as: [Arrival].self)
            return all.filter { $0.path == path && !$0.isRefused }
        }

        /// Waits until a script has ended a connection.
        func connectionEnded() async throws {
            let control = try InteropTests.request(to: server.control)
            #expect(try await control.get("/ended").query(["port": port]).value(as: Bool.self))
        }

        /// Records an issue unless the next call succeeds.
        func expectNext(at location: SourceLocation = #_sourceLocation) async {
            do {
                let body = try await client.get("/next").execute(.data).value
                #expect(body == Data(#""fine""#.utf8), "the next call", sourceLocation: location)
            } catch {
                Issue.record("the next call failed: \(error)", sourceLocation: location)
            }
        }
    }
}
#endif
