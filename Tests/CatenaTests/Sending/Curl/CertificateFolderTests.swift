#if os(Linux)
import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite(.needsEngine, .enabled(if: Engine.offersTLS), .limitedParallelism) struct CertificateFolderTests {
    /// The name under which OpenSSL looks for the authority of the loopback servers in a folder: a digest of its subject.
    private static let name = "ccc611b4.0"

    /// A certificate of an authority that has signed no certificate of the loopback servers.
    private static let other = """
        -----BEGIN CERTIFICATE-----
        MIIBhDCCASmgAwIBAgIUXn5eiNrtT3skhjJafwftjUF2GC8wCgYIKoZIzj0EAwIw
        FjEUMBIGA1UEAwwLbm9ib2R5IGhlcmUwIBcNMjYxMTIyMDY0ODUzWhgPMjEyNjEw
        MjkwNjQ4NTNaMBYxFDASBgNVBAMMC25vYm9keSBoZXJlMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAE8uJ1k9Zc3PPqb42GiAP9YHhlDddM/FdjrP1aIwyHDVWemUHM
        IzWEKDJdx6HG6uiy15xar4kzxADTNY7eKjZFnKNTMFEwHQYDVR0OBBYEFCTCTbjr
        gNDUO0OzY4NArExI5Pd0MB8GA1UdIwQYMBaAFCTCTbjrgNDUO0OzY4NArExI5Pd0
        MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAPiNwZsoDx1jitAo
        2+wQVRtx6K8e+UyBCekOGT5yC+F/AiEA4oA4/ZH9ghm5kS/yYaOajaZTk9eT0Eek
        r/gRvw4Fxsw=
        -----END CERTIFICATE-----
        """

    @Test("certificateAuthorityFile replaces the folder of authorities, such as the system's", arguments: [true, false])
    func replaced(hasFile: Bool) async throws {
        let server = try LoopbackServer(security: .tls)
        server.get("/a") { _ in .json(text: "1") }
        let folder = try ScratchFolder()
        try Data(try #require(server.certificateAuthority).utf8).write(to: folder.file(Self.name))
        try Data(Self.other.utf8).write(to: folder.file("other.pem"))
        var configuration = CurlConfiguration()
        configuration.certificateAuthorityFolder = folder.url.path()
        if hasFile { configuration.certificateAuthorityFile = folder.file("other.pem").path() }
        let client = Client(transport: try CurlTransport(configuration))
        client.defaultHost = server.url
        if hasFile {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").value(as: Int.self) }
            #expect(error?.kind == .tls)
        } else {
            #expect(try await client.get("/a").value(as: Int.self) == 1)
        }
    }

    /// The settings that name a file.
    enum FileSetting: CaseIterable, Sendable {
        case authorities, certificate, key

        func set(_ path: String, in configuration: inout CurlConfiguration) {
            switch self {
            case .authorities: configuration.certificateAuthorityFile = path
            case .certificate: configuration.clientCertificateFile = path
            case .key: configuration.clientKeyFile = path
            }
        }
    }

    @Test(
        "a pipe or a folder in the place of a certificate fails the call, and blocks no other call of the transport",
        arguments: FileSetting.allCases, [true, false])
    func notAFile(setting: FileSetting, isPipe: Bool) async throws {
        let (secure, plain, folder) = (try LoopbackServer(security: .tls), try LoopbackServer(), try ScratchFolder())
        plain.get("/a") { _ in .json(text: "1") }
        var configuration = CurlConfiguration()
        configuration.loops = 1
        setting.set(isPipe ? folder.file("pipe").path() : folder.url.path(), in: &configuration)
        if isPipe { #expect(mkfifo(folder.file("pipe").path(), 0o600) == 0) }
        let client = Client(transport: try CurlTransport(configuration))
        let error = await #expect(throws: APIError.self) { try await client.absoluteURL("\(secure.url)/a").value() }
        #expect(error?.kind == .invalidRequest)
        #expect(try await client.absoluteURL("\(plain.url)/a").value(as: Int.self) == 1)
    }
}
#endif
