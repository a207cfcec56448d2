import Catena
import CatenaRules
import CatenaTesting
import Foundation

extension Tour {
    /// The rule file of the scenario.
    private var ruleFile: String {
        """
        {
            "DEFAULT": { "Base": "\(backends.forum.server.url)/api/", "Method": "GET" },
            "SignIn": { "Path": "login", "Method": "POST" },
            "@people": {
                "Me": { "Path": "me", "Response Type": 2, "Response Class": "Profile" },
                "RoomUsers": { "Path": "rooms/{room}/users", "Path Prefix": "v1/", "Response Type": 3, "Response Class": "User" }
            }
        }
        """
    }

    var rules: Scenario {
        let text = ruleFile
        return Scenario(
            title: "Requests by name: a file says where they go, and what comes back",
            code: """
                API.rules.register(User.self)
                try API.rules.load(file: rules)
                let token = try await API.request(named: "SignIn").params(["email": "a@example.com"]).value(as: Token.self)
                API.request(named: "Me").header("X-Token", token.value).execute(as: Profile.self)
                API.request(named: "RoomUsers") { context in
                    context.params = ["room": me.room]
                    context.success = { _, users in show(users.as([User].self)) }
                    context.finished = { _, isSuccess in spinner.stop() }
                }
                """
        ) {
            let file = FileManager.default.temporaryDirectory.appending(path: "catena-demo-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(text.utf8).write(to: file)
            API.rules.register(Profile.self)
            API.rules.register(User.self)
            try API.rules.load(file: file)
            let token = try await API.request(named: "SignIn").params(["email": "a@example.com"]).value(as: Token.self)
            let me = try await API.request(named: "Me").header("X-Token", token.value).execute(as: Profile.self).value
            let notes = Notes()
            let (ended, resolver) = Promise<[User]>.pending()
            API.request(named: "RoomUsers") { context in
                context.params = ["room": me.room]
                context.success = { _, users in notes.add("success \(users.as([User].self)?.count ?? 0)") }
                context.finished = { _, isSuccess in notes.add("finished \(isSuccess)") }
                context.completion = { _, users, error in resolver.resolve(users?.as([User].self), error) }
            }
            let users = try await ended.value
            guard users.map(\.name) == ["Ada", "Grace"], notes.all == ["success 2", "finished true"] else {
                throw Unexpected(description: "\(users) \(notes.all)")
            }
            return "three rules of \(API.rules.names.count): \(users.map(\.name))"
        }
    }
}
