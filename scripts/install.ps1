# Installs aman for this user on Windows, without administrator rights:
#
#   irm https://github.com/@REPOSITORY@/releases/latest/download/install.ps1 | iex
#
# Verifies the download by the release's checksums; without a valid checksum it stops. Then it starts the program once
# as a test, and replaces an older version. It changes nothing else; you have to add the folder to PATH yourself.
#
#   AMAN_INSTALL_DIR   folder of the program (default: %LOCALAPPDATA%\Programs\aman)
#   AMAN_VERSION       release to install, such as v1.2.3 (default: the latest)
#   AMAN_BASE_URL      other address of the release's files; https, or http on this machine

function Install-Aman {
    $ErrorActionPreference = 'Stop'
    # The progress bar of Windows PowerShell makes a download ten times slower.
    $ProgressPreference = 'SilentlyContinue'

    # The only build for Windows is x64, which Windows on ARM runs, too.
    if (-not [Environment]::Is64BitOperatingSystem) { throw 'aman: there is no aman for 32-bit Windows' }
    $name = 'aman_windows_amd64.zip'
    $url = Get-AmanUrl
    $directory = if ($env:AMAN_INSTALL_DIR) { $env:AMAN_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\aman' }
    $scratch = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid().ToString())
    New-Item -ItemType Directory -Path $scratch | Out-Null
    try {
        $archive = Join-Path $scratch $name
        $checksums = Join-Path $scratch 'checksums.txt'
        Invoke-WebRequest -UseBasicParsing -Uri "$url/checksums.txt" -OutFile $checksums
        Invoke-WebRequest -UseBasicParsing -Uri "$url/$name" -OutFile $archive
        Confirm-AmanArchive $archive $name $checksums

        Expand-Archive -LiteralPath $archive -DestinationPath (Join-Path $scratch 'unpacked')
        $program = Join-Path $scratch 'unpacked\aman.exe'
        if (-not (Test-Path -LiteralPath $program)) { throw "aman: $name holds no program" }
        $version = & $program version
        if ($LASTEXITCODE -ne 0) { throw 'aman: the program does not start here' }

        New-Item -ItemType Directory -Force -Path $directory | Out-Null
        $place = Join-Path $directory 'aman.exe'
        # A running program cannot be overwritten, but it can be renamed.
        $old = Join-Path $directory "aman-old-$PID.exe"
        if (Test-Path -LiteralPath $place) { Move-Item -LiteralPath $place -Destination $old }
        try { Move-Item -LiteralPath $program -Destination $place }
        catch {
            if (Test-Path -LiteralPath $old) { Move-Item -LiteralPath $old -Destination $place }
            throw
        }
        Remove-Item -LiteralPath $old -Force -ErrorAction SilentlyContinue
        Write-Output "$version is installed: $place"
        if (($env:PATH -split ';') -notcontains $directory) {
            Write-Output 'Its folder is not on your PATH yet; this adds it for your user:'
            Write-Output "  [Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';$directory', 'User')"
        }
    }
    finally { Remove-Item -LiteralPath $scratch -Recurse -Force -ErrorAction SilentlyContinue }
}

function Get-AmanUrl {
    if ($env:AMAN_BASE_URL) {
        if ($env:AMAN_BASE_URL -notmatch '^(https://|http://(localhost|127\.0\.0\.1)[:/])') { throw 'aman: AMAN_BASE_URL must begin with https://' }
        return $env:AMAN_BASE_URL.TrimEnd('/')
    }
    $repository = '@REPOSITORY@'
    if ($repository.StartsWith('@')) { throw 'aman: this copy of the script does not know where aman is released; take it from a release, or set AMAN_BASE_URL' }
    if ($env:AMAN_VERSION) { return "https://github.com/$repository/releases/download/$env:AMAN_VERSION" }
    return "https://github.com/$repository/releases/latest/download"
}

function Confirm-AmanArchive($archive, $name, $checksums) {
    $expected = @(Get-Content -LiteralPath $checksums | ForEach-Object {
            $sum, $file = $_ -split '\s+\*?', 2
            if ($file -ceq $name) { $sum }
        })
    if ($expected.Count -ne 1 -or $expected[0] -cnotmatch '^[0-9a-f]{64}$') { throw "aman: the release's checksums do not name $name, so it is not installed" }
    $actual = (Get-FileHash -Algorithm SHA256 -LiteralPath $archive).Hash.ToLowerInvariant()
    if ($actual -cne $expected[0]) { throw "aman: the checksum of $name is wrong, so it is not installed: expected $($expected[0]), downloaded was $actual" }
}

Install-Aman
