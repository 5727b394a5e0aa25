/// Days of the Gregorian calendar, also before its introduction (ISO 8601).
package enum CivilDate {
    /// Days since 1970-01-01; nil for an invalid date.
    package static func days(year: Int, month: Int, day: Int) -> Int? {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= length(of: month, year) else {
            return nil
        }
        // Years begin in March, so that the day of a leap year comes last.
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Year, month and day of days since 1970-01-01.
    package static func parts(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    static func text(days: Int) -> String {
        let (year, month, day) = parts(days: days)
        return text(year: year, month: month, day: day)
    }

    /// `2017-01-10`.
    package static func text(year: Int, month: Int, day: Int) -> String {
        String(year).zeroPadded(to: 4) + "-" + ClockText.pad(month) + "-" + ClockText.pad(day)
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}
