import Catena
import Foundation
import Observation

/// The list of topics, as its screen shows it.
@MainActor
@Observable
public final class TopicList {
    public private(set) var topics: [Topic] = []
    /// Whether there are more topics to load.
    public private(set) var hasMore = true
    public private(set) var isLoading = false
    /// The text of the alert, or nil if there is none.
    public private(set) var alert: String?
    /// Whether to show the alert. The view sets it to false when the user has closed the alert.
    public var showsAlert: Bool {
        get { alert != nil }
        set { if !newValue { alert = nil } }
    }

    private let forum: Forum
    private var page = 0
    /// The number of refreshes, by which a page that arrives after a refresh is recognized and discarded.
    private var refreshes = 0
    /// The stars whose calls are in progress, with the values that were sent.
    private var sending: [Topic.ID: Bool] = [:]

    public init(_ session: Session) {
        forum = session.forum
    }

    /// Loads the first page again. The old topics stay until it arrives, also if it fails.
    public func refresh() async {
        refreshes += 1
        await load(page: 1)
    }

    /// Loads the next page when the last topic is shown.
    public func loadMore(after topic: Topic) async {
        guard topic.id == topics.last?.id, hasMore, !isLoading else { return }
        await load(page: page + 1)
    }

    /// Shows the star at once, and reverts it if the forum refuses it.
    ///
    /// - Returns: A promise that settles with the call, or at once if an earlier call for the star is in progress. It may be ignored.
    @discardableResult
    public func toggleStar(_ id: Topic.ID) -> Promise<Void> {
        guard let topic = topics.first(where: { $0.id == id }) else { return Promise(value: ()) }
        set(!topic.isStarred, of: id)
        // If a call is in progress, a second one could overtake it. The latest value is therefore sent after its end.
        return sending[id] == nil ? send(!topic.isStarred, of: id) : Promise(value: ())
    }

    private func send(_ isStarred: Bool, of id: Topic.ID) -> Promise<Void> {
        sending[id] = isStarred
        return forum.star(id, isStarred)
            .finally { self.sending[id] = nil }
            .then { self.sendLatest(of: id, after: isStarred) }
            .catch { error in
                self.set(!isStarred, of: id)
                self.alert = error.localizedDescription
            }
    }

    private func sendLatest(of id: Topic.ID, after sent: Bool) {
        guard let topic = topics.first(where: { $0.id == id }), topic.isStarred != sent else { return }
        _ = send(topic.isStarred, of: id)
    }

    private func load(page: Int) async {
        let refresh = refreshes
        isLoading = true
        defer { if refresh == refreshes { isLoading = false } }
        do {
            let loaded = try await forum.topics(page: page)
            guard refresh == refreshes else { return }
            topics = page == 1 ? loaded.items : topics + loaded.items
            hasMore = loaded.hasMore ?? !loaded.items.isEmpty
            self.page = page
        } catch is CancellationError {
            // The user has left, or the session has ended, so that there is no error to show.
        } catch {
            if refresh == refreshes { alert = error.localizedDescription }
        }
    }

    private func set(_ isStarred: Bool, of id: Topic.ID) {
        guard let index = topics.firstIndex(where: { $0.id == id }) else { return }
        topics[index].isStarred = isStarred
    }
}
