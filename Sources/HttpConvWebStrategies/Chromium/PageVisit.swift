#if os(Linux)
/// The state of the page that the main frame shows: what was filled in on it, and what it has sent since.
struct PageVisit: Sendable {
    /// The fields that were filled in on a page.
    struct Sent {
        let names: Set<String>
        /// The number of requests before it was sent.
        let requests: Int
        /// The page's error message before.
        let alert: String
        /// The time when the form was sent; nil while it is being filled in.
        var time: ContinuousClock.Instant?
    }

    /// The time in which scripts may still change a loaded form.
    static let settling = Duration.seconds(2)

    /// Incremented when a page arrives, is about to be left, or stays after all.
    private(set) var number = 0
    /// The number of pages that were loaded.
    private(set) var page = 0
    /// The number of requests that a script or the page's forms may have sent.
    var requests = 0
    /// The ids of the requests that wait for their answer.
    var open: Set<String> = []
    /// The fields that were filled in on this page.
    var sent: Sent?
    /// The number of applications that the person is not back from. The page is left alone meanwhile.
    var openApplications = 0
    /// The number of trials that run, which may end the login. The page is left alone meanwhile.
    var trials = 0
    /// The number of the page that the last response will show; nil if that is no HTML.
    var arriving: Int? = 0

    /// Ends the earlier work for the page.
    ///
    /// - Returns: the number for work from now on
    mutating func begin() -> Int {
        number += 1
        return number
    }

    /// Begins with a new page.
    ///
    /// - Returns: the number for work from now on
    mutating func arrive() -> Int {
        page += 1
        sent = nil
        open = []
        openApplications = 0
        return begin()
    }

    /// Claims the page to fill it in.
    ///
    /// - Parameters:
    ///   - number: the number of the work
    ///   - asked: the names of the fields to fill in
    ///   - start: the time of the page's last change, or of ours
    ///   - alert: the page's error message
    ///   - stallLimit: the time in which a page has to react
    /// - Returns: the page, and whether it was filled in with the same fields before and has sent nothing since; nil if
    ///   it is no longer the current one, or has just been filled in with the same fields
    mutating func claim(
        _ number: Int, for asked: Set<String>, since start: ContinuousClock.Instant, alert: String,
        within stallLimit: Duration
    ) -> (page: Int, hasSentNothing: Bool)? {
        guard self.number == number else { return nil }
        // The page that was filled in stays for a moment. If it stays longer, it asks again. With an error message
        // and no request on its way, it has refused what was filled in.
        let isRefusal = open.isEmpty && !alert.isEmpty && sent.map { $0.alert != alert } ?? false
        let limit = isRefusal ? min(stallLimit, Self.settling) : stallLimit
        let isRecent = sent?.time.map { .now - max($0, start) < limit } ?? true
        let isSame = sent?.names == asked
        if isSame, isRecent { return nil }
        let hasSentNothing = isSame && sent?.requests == requests && !isRefusal
        sent = Sent(names: asked, requests: requests, alert: alert)
        return (page, hasSentNothing)
    }
}
#endif
