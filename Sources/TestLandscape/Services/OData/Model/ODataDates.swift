/// Dates and durations in OData's notation (ISO 8601).
enum ODataDates {
    private static let day: Int64 = 86_400_000

    /// Year, month and day of a number of days since 1970, and the milliseconds of that day.
    private static func parts(_ milliseconds: Int64) -> (year: Int64, month: Int64, day: Int64, rest: Int64) {
        let days = Int64((Double(milliseconds) / Double(day)).rounded(.down))
        // The civil calendar in eras of 400 years, which begin on 1 March.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let number = month < 10 ? month + 3 : month - 9
        return (
            yearOfEra + era * 400 + (number <= 2 ? 1 : 0), number, dayOfYear - (153 * month + 2) / 5 + 1,
            milliseconds - days * day
        )
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// A part of a time, for the functions `year`, `month` and so on.
    static func unit(_ name: String, of milliseconds: Int64) -> Int64? {
        let parts = parts(milliseconds)
        return switch name {
        case "year": parts.year
        case "month": parts.month
        case "day": parts.day
        case "hour": parts.rest / 3_600_000
        case "minute": parts.rest / 60_000 % 60
        case "second": parts.rest / 1000 % 60
        default: nil
        }
    }

    static func date(_ milliseconds: Int64) -> String {
        let parts = parts(milliseconds)
        return "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
    }

    static func time(_ milliseconds: Int64) -> String {
        let text = [3_600_000, 60_000, 1000].enumerated().map { index, unit in
            padded(milliseconds / unit % (index == 0 ? 24 : 60), 2)
        }.joined(separator: ":")
        return milliseconds % 1000 == 0 ? text : text + "." + padded(milliseconds % 1000, 3)
    }

    static func local(_ milliseconds: Int64) -> String {
        date(milliseconds) + "T" + time(parts(milliseconds).rest)
    }

    static func zoned(_ milliseconds: Int64, offset: Int) -> String {
        let shift = abs(Int64(offset))
        let zone = offset == 0 ? "Z" : (offset < 0 ? "-" : "+") + padded(shift / 60, 2) + ":" + padded(shift % 60, 2)
        return local(milliseconds + Int64(offset) * 60_000) + zone
    }

    static func duration(_ milliseconds: Int64) -> String {
        let rest = abs(milliseconds)
        let (days, hours, minutes) = (rest / day, rest / 3_600_000 % 24, rest / 60_000 % 60)
        let seconds = rest / 1000 % 60
        let fraction = rest % 1000 == 0 ? "" : "." + padded(rest % 1000, 3)
        var text = (milliseconds < 0 ? "-" : "") + "P" + (days > 0 ? "\(days)D" : "")
        let time =
            (hours > 0 ? "\(hours)H" : "") + (minutes > 0 ? "\(minutes)M" : "")
            + (seconds > 0 || !fraction.isEmpty ? "\(seconds)\(fraction)S" : "")
        text += time.isEmpty ? (days > 0 ? "" : "T0S") : "T" + time
        return text
    }

    // MARK: Reading

    private static func fraction(_ digits: Substring?) -> Int64? {
        guard let digits else { return 0 }
        guard (1...12).contains(digits.count), digits.allSatisfy(\.isNumber) else { return nil }
        return Int64(digits.prefix(3) + String(repeating: "0", count: max(0, 3 - digits.count)))
    }

    /// Reads `2026-01-31`, optionally with a time and a zone; nil for anything else.
    static func instant(_ text: Substring) -> (milliseconds: Int64, offset: Int?)? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(Z|[+-]\d\d:\d\d)?/),
            let year = Int64(match.1), let month = Int64(match.2), (1...12).contains(month), let day = Int64(match.3),
            (1...31).contains(day), let fraction = fraction(match.7)
        else { return nil }
        let hour = match.4.flatMap { Int64($0) } ?? 0
        let minute = match.5.flatMap { Int64($0) } ?? 0
        let second = match.6.flatMap { Int64($0) } ?? 0
        guard hour < 24, minute < 60, second < 60 else { return nil }
        let local = days(year, month, day) * Self.day + hour * 3_600_000 + minute * 60_000 + second * 1000 + fraction
        guard let zone = match.8 else { return (local, nil) }
        guard zone != "Z" else { return (local, 0) }
        let numbers = zone.dropFirst().split(separator: ":").compactMap { Int($0) }
        let offset = (numbers[0] * 60 + numbers[1]) * (zone.hasPrefix("-") ? -1 : 1)
        return (local - Int64(offset) * 60_000, offset)
    }

    /// Reads a duration such as `PT1H30M`.
    static func span(duration text: Substring) -> Int64? {
        guard
            let match = text.wholeMatch(
                of: /(-)?P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})(?:\.(\d+))?S)?)?/),
            text.last?.isNumber == false, !text.hasSuffix("P"), !text.hasSuffix("T"), let fraction = fraction(match.6)
        else { return nil }
        let counts = [match.2, match.3, match.4, match.5].map { $0.flatMap { Int64($0) } ?? 0 }
        let sum = counts[0] * day + counts[1] * 3_600_000 + counts[2] * 60_000 + counts[3] * 1000 + fraction
        return match.1 == nil ? sum : -sum
    }

    /// Reads a time such as `13:30:00.5`.
    static func span(time text: Substring) -> Int64? {
        guard let whole = instant("1970-01-01T" + text), whole.offset == nil else { return nil }
        return whole.milliseconds
    }
}
