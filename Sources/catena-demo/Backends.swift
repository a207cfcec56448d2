import Catena
import CatenaTesting

extension Tag {
    static let forum: Tag = "forum"
    static let wallet: Tag = "wallet"
    static let legacy: Tag = "legacy"
}

/// Three backends with different envelopes.
struct Backends {
    let forum: Backend
    let wallet: Backend
    let legacy: Backend

    var all: [Backend] { [forum, wallet, legacy] }

    init() throws {
        forum = try Backend("forum")
        wallet = try Backend("wallet")
        legacy = try Backend("legacy")
        serveForum()
        serveWallet()
        serveLegacy()
    }

    func stop() {
        for backend in all { backend.server.stop() }
    }

    private func serveForum() {
        forum.answer(.post, "/api/login") { request in
            request.text.contains("a@example.com")
                ? (200, #"{"code":0,"msg":"welcome","data":{"value":"made-up-token"}}"#)
                : (200, #"{"code":10001,"msg":"no such account"}"#)
        }
        forum.answer(.get, "/api/me") { request in
            request.headers["X-Token"] == "made-up-token"
                ? (200, #"{"code":0,"msg":"","data":{"name":"Ada","room":"a/7"}}"#)
                : (401, #"{"code":40001,"msg":"sign in first"}"#)
        }
        forum.answer(.get, "/api/v1/rooms/{room}/users") { _ in
            (200, #"{"code":0,"msg":"","data":[{"name":"Ada"},{"name":"Grace"}]}"#)
        }
        forum.answer(.get, "/api/gone") { _ in (404, #"{"code":404,"msg":"this page has moved on"}"#) }
        forum.staySilent("/api/slow")
    }

    private func serveWallet() {
        wallet.answer(.get, "/balance") { request in
            request.headers["Authorization"] == "Bearer made-up"
                ? (200, #"{"result":{"code":"OK","text":""},"payload":{"amount":"12.50","currency":"EUR"}}"#)
                : (200, #"{"result":{"code":"AUTH","text":"who are you?"}}"#)
        }
        wallet.answer(.post, "/pay") { _ in
            (200, #"{"result":{"code":10086,"text":"not enough money"}}"#)
        }
    }

    private func serveLegacy() {
        legacy.answer(.get, "/news.php") { _ in
            (200, #"{"errno":"0","errmsg":"ok","data":null,"ret":{"list":[{"title":"Hello"},{"title":"World"}],"count":2}}"#)
        }
    }
}
