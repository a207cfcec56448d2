// Uses the app while its backend and its user misbehave. Exits with 0 if each screen is as expected.
import Catena
import CatenaTesting
import Viewer

let viewer = Viewer()
let backend = try CommunityBackend()
let community = Community(host: backend.server.url)
try community.session.signIn(BearerToken(accessToken: "ann", user: "1"))

await community.readFeed()
viewer.see("feed", "\(community.feed), \(community.alert ?? "no alert")", expected: #"["Tea", "Rain", "Moss"], no alert"#)

// Another user signs in when the last post of the first page is shown.
await community.readFeed { count in
    if count == 2 { try? community.session.signIn(BearerToken(accessToken: "bob", user: "2")) }
}
viewer.see(
    "feed, another user", "\(community.feed), \(community.alert ?? "no alert")", expected: #"["Tea", "Rain"], Another user has signed in."#)
viewer.see("requests of the feed", backend.requests(to: "/feed"), expected: "3 with Bearer ann")

await community.readChat()
viewer.see(
    "chat, cut", "\(community.chat), \(community.alert ?? "no alert")", expected: #"["Hello", "Anybody?"], Not complete (connectionLost)"#)
await community.readChat()
viewer.see("chat", "\(community.chat), \(community.alert ?? "no alert")", expected: #"["Hello", "Anybody?"], no alert"#)

// Two taps in one turn of the main actor.
community.send("Hi")
viewer.see("sending", "\(community.isSending)", expected: "true")
community.send("Hi")
await community.waitUntilIdle()
viewer.see("messages", backend.requests(to: "/messages"), expected: "1 with Bearer bob")
viewer.see("sending, afterwards", "\(community.isSending)", expected: "false")

// The feed and the chat have failed. The reports have failed, too, and are not reported.
viewer.see("reports", backend.requests(to: "/reports"), expected: "2 with Bearer bob")
viewer.finish()
