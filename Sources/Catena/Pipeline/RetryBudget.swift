import Synchronization

/// How much more load retries may make, so that many calls that fail together do not keep a backend down.
///
/// Every call adds its share, every retry takes one. Once nothing is left calls fail with their first failure.
public struct RetryBudget: Sendable, Hashable {
    /// How many retries there may be beyond the share, such as those of an app's first calls.
    public var reserve: Int
    /// How many retries each call adds: 0.2 is one for five calls.
    public var share: Double

    public init(reserve: Int, share: Double) {
        self.reserve = reserve
        self.share = share
    }

    /// One retry for five calls, and ten in reserve.
    public static let standard = RetryBudget(reserve: 10, share: 0.2)
}

/// What is left of a budget that all calls of a tag share.
final class RetryAccount: Sendable {
    private let budget: RetryBudget
    private let balance: Mutex<Double>

    init(_ budget: RetryBudget) {
        self.budget = budget
        balance = Mutex(Double(max(budget.reserve, 0)))
    }

    /// A call begins.
    func deposit() {
        balance.withLock { $0 = min($0 + min(max(budget.share, 0), 1), Double(max(budget.reserve, 1))) }
    }

    /// Whether there may be another retry, which then counts.
    func withdraw() -> Bool {
        balance.withLock { balance in
            // Ten times a tenth is a little less than one.
            guard balance > 1 - 1e-9 else { return false }
            balance -= 1
            return true
        }
    }
}

/// The accounts of a tag, one for each budget that its calls have.
final class RetryAccounts: Sendable {
    private let accounts = Mutex<[RetryBudget: RetryAccount]>([:])

    func account(of budget: RetryBudget) -> RetryAccount {
        accounts.withLock { accounts in
            if let account = accounts[budget] { return account }
            let account = RetryAccount(budget)
            accounts[budget] = account
            return account
        }
    }
}
