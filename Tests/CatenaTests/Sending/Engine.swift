import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// The engine over libcurl, which Catena has if the system's libcurl is new enough.
enum Engine {
    /// The reason why the engine cannot run here, or `nil` if it can.
    static let missing: String? = {
        #if os(Linux) && canImport(Glibc)
        do throws(CurlTransport.Unavailable) {
            _ = try CurlTransport()
            return nil
        } catch {
            return error.description
        }
        #else
        return "the engine runs only on Linux"
        #endif
    }()

    static var isThere: Bool { missing == nil }

    /// Whether the calls of this process are sent over URLSession, because the environment says so.
    static var isReplaced: Bool { ProcessInfo.processInfo.environment["CATENA_TRANSPORT"] == "urlsession" }
}

extension Engine {
    /// Whether the engine keeps connections. It does not over libcurl before 7.80, which does not ask before it uses one again.
    static var keepsConnections: Bool {
        #if os(Linux) && canImport(Glibc)
        isThere && CurlLibrary.asksBeforeRequests
        #else
        false
        #endif
    }

    /// Whether a call over TLS to a server of this process can be made.
    static var offersTLS: Bool { speaksTLS && LoopbackServer.offersTLS }

    static var speaksTLS: Bool {
        #if os(Linux) && canImport(Glibc)
        isThere && CurlLibrary.speaksTLS
        #else
        false
        #endif
    }

    static var speaksHTTP3: Bool {
        #if os(Linux) && canImport(Glibc)
        isThere && CurlLibrary.speaksHTTP3
        #else
        false
        #endif
    }

    static var speaksHTTP2: Bool {
        #if os(Linux) && canImport(Glibc)
        isThere && CurlLibrary.speaksHTTP2
        #else
        false
        #endif
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test of connections with several requests if the engine keeps no connection.
    static var needsKeptConnections: Self { .enabled(if: Engine.keepsConnections, "libcurl before 7.80 keeps no connection") }

    /// Skips a test of calls over TLS if libcurl was built without it.
    static var needsTLS: Self { .enabled(if: Engine.speaksTLS, "this libcurl has no TLS") }

    /// Skips a test of HTTP/2 if the engine does not speak it.
    static var needsHTTP2: Self { .enabled(if: Engine.speaksHTTP2, "the engine does not speak HTTP/2 over this libcurl") }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test that needs the engine if the engine cannot run, and names the reason.
    static var needsEngine: Self { .enabled(if: Engine.isThere, "\(Engine.missing ?? "the engine runs")") }

    /// Skips a test whose processes send over the engine, since only this process is prepared for another transport.
    static var needsEngineInProcesses: Self {
        .enabled(if: Engine.isThere && !Engine.isReplaced, "URLSession takes the place of the engine")
    }
}
