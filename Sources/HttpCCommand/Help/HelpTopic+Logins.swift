extension HelpTopic {
    static let loginsText = """
        LOGINS
          httpc follows redirects, keeps cookies, and answers a server that asks for a
          login, then repeats the request. The body goes to standard output, everything
          else to standard error. No secret is ever printed, not even in a message about
          a wrong argument, and your headers, cookies and passwords go only to the
          servers that you gave them for.

          -u NAME             Basic and Digest, at the server of the URL; asks for the
                              password. If the server refuses it, you get the
                              server's page: 0, or 22 with -f, as with curl.
          -n                  the same from ~/.netrc (--netrc-file), which only you may
                              be able to read: each login for its own host, over
                              https, or over http at the server of the URL. Used
                              after -u and the URL's own login, before profiles.
          --negotiate         Kerberos tickets (kinit), at the servers of the URLs, over
                              https or on this machine; the server has to prove who
                              it is. Without a ticket, -u or a profile answers.
          --cert FILE         a client certificate, if the server asks for one
          a profile           binds a login to URLs: Basic, certificates, OAuth2,
                              SAML2, one-time codes (httpc help profiles). Without
                              --profile the longest match applies. Its password goes to
                              what it matches and nowhere else. If its login fails,
                              nothing is printed, and httpc ends with 67.
          neither             Without them httpc prints the page of a 401 and a line
                              about it, and ends with 0 (22 with -f). Where an answer
                              is certainly a login page, httpc asks you at a terminal
                              whether to log in there. Else it ends with 67 and the
                              lines that a profile needs; --accept-login-page prints
                              the page.

          httpc init URL finds out which login a URL wants, and writes its profile.

          A profile keeps its cookies and tokens between calls (httpc login, logout,
          status, tokens, cookies). Without a profile only -c keeps cookies. The session
          at an identity provider is kept apart from them, for login pages there alone:
          the next login asks nothing, in the terminal as in Chromium, and profiles with
          the same sso share it. httpc logout forgets it.

          Other programs can use the logins of profiles: git, kubectl, Docker's programs
          and pip ask httpc credential, each in its own protocol. curl reads the line of
          httpc tokens --header, and wget the cookies of httpc cookies --netscape.

          Login pages are shown in a window of Chromium if there is a display, else as
          questions in the terminal (--web); those of OAuth2 in your own browser. For a
          login without a person, no window is opened, and answers fill the fields:
          --answer-env password=PW, --answer-totp code=SECRET. They go to the origins
          that the profile names, and to --answer-origin (answer-origins).

          A logon is stored in a vault that a passcode locks. Once unlocked, it is open
          for every httpc until it is unused for the time that the server's policy sets
          (a day at most), or until httpc lock. Its key is in the kernel's memory, never
          in a file. If the kernel cannot keep it, as in some containers, each httpc
          asks; without a terminal, a locked vault ends httpc with 67.

          A profile can have several accounts, each with a passcode of its own: httpc
          logon --account NAME adds one, --list lists them, --switch NAME selects the
          one that is used without --account, and --choose asks. Removed accounts fail;
          no other one takes their place. httpc unregister --account NAME removes one.
        """
}
