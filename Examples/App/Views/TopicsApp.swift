// The views. They contain no logic, because only platforms with SwiftUI compile them.
#if canImport(SwiftUI)
import Catena
import SwiftUI
import Topics

/// The root view for the window of an app: `TopicsView(session: Session(host: "https://forum.example.com/api", store: …))`.
public struct TopicsView: View {
    @State private var session: Session

    public init(session: Session) {
        _session = State(initialValue: session)
    }

    public var body: some View {
        if session.isSignedIn {
            TopicListView(session: session)
        } else {
            SignInView(session: session)
        }
    }
}

struct SignInView: View {
    let session: Session
    @State private var email = ""
    @State private var password = ""

    var body: some View {
        Form {
            TextField("Email", text: $email)
            SecureField("Password", text: $password)
            if let message = session.message { Text(message) }
            Button("Sign in") {
                Task { await session.signIn(email: email, password: password) }
            }
            .disabled(session.isBusy || email.isEmpty || password.isEmpty)
        }
    }
}

struct TopicListView: View {
    let session: Session
    @State private var list: TopicList

    init(session: Session) {
        self.session = session
        _list = State(initialValue: TopicList(session))
    }

    var body: some View {
        NavigationStack {
            List(list.topics) { topic in
                TopicRow(topic: topic) { list.toggleStar(topic.id) }
                    .task { await list.loadMore(after: topic) }
            }
            .navigationTitle("Topics")
            .refreshable { await list.refresh() }
            .task { await list.refresh() }
            .toolbar { Button("Sign out") { session.signOut() } }
            .alert("That did not work", isPresented: $list.showsAlert) {
                Button("OK") {}
            } message: {
                Text(list.alert ?? "")
            }
        }
    }
}

struct TopicRow: View {
    let topic: Topic
    let toggle: @MainActor () -> Void

    var body: some View {
        HStack {
            Text(topic.title)
            Spacer()
            Button(action: toggle) { Image(systemName: topic.isStarred ? "star.fill" : "star") }
                .accessibilityLabel(topic.isStarred ? "Remove star" : "Add star")
        }
    }
}
#endif
