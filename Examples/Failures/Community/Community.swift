// An app with a feed and a chat. Each action is one call, and each call is one sentence.
import Catena

extension Tag {
    static let community: Tag = "community"
}

/// A post of the feed, or a message of the chat.
struct Post: Decodable, Sendable {
    let text: String
}

/// The state of the app's screens.
@MainActor
final class Community {
    let session = Authentication(BearerAuthenticator())
    private let client: Client
    private(set) var feed: [String] = []
    private(set) var chat: [String] = []
    private(set) var alert: String?
    /// Whether a message is on its way. The button that sends it is disabled then.
    private(set) var isSending = false

    init(host: String, client: Client = Client()) {
        self.client = client
        client.configure(.community) { [session] tag in
            tag.host = host
            tag.authentication = session
        }
        // Each failure is reported to the backend, by a call that may fail, too.
        client.onError { [weak client] error, _ in
            try? await client?.tag(.community).post("/reports").json(["kind": error.kind.name]).void()
            return .proceed
        }
    }

    /// Reads the feed, and calls a closure after each post.
    func readFeed(_ shown: (Int) -> Void = { _ in }) async {
        feed = []
        await alerting {
            for try await post in client.tag(.community).get("/feed").items(of: Post.self, by: .cursor()) {
                feed.append(post.text)
                shown(feed.count)
            }
        }
    }

    /// Reads the chat to its end.
    func readChat() async {
        chat = []
        await alerting {
            for try await message in client.tag(.community).get("/chat").events(as: Post.self, until: "[DONE]", reconnecting: .never) {
                chat.append(message.text)
            }
        }
    }

    /// Sends a message, unless one is on its way.
    func send(_ text: String) {
        guard !isSending else { return }
        client.tag(.community).post("/messages").json(["text": text]).loading(\.isSending, on: self).execute(.void)
    }

    /// Waits until all calls have ended.
    func waitUntilIdle() async {
        await client.waitUntilIdle()
    }

    private func alerting(_ work: () async throws -> Void) async {
        alert = nil
        do {
            try await work()
        } catch let error as APIError {
            alert = error.kind == .missingCredential ? "Another user has signed in." : "Not complete (\(error.kind.name))"
        } catch {}
    }
}
