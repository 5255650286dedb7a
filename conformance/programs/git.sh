# Clones a repository, checks all objects, commits and packs: git.sh MOUNT SCRATCH.
set -eu
mount=$1 scratch=$2
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME=$scratch
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_AUTHOR_DATE="1577836800 +0000" GIT_COMMITTER_DATE="1577836800 +0000"
commits() { git -C "$1" rev-list --all | sort | sha256sum; }
git init -q -b main "$scratch/origin"
for i in $(seq 8); do
    for name in a b/c "d e"; do
        mkdir -p "$(dirname "$scratch/origin/$name")"
        seq "$i" "$((i * 300))" >"$scratch/origin/$name"
    done
    git -C "$scratch/origin" add -A
    git -C "$scratch/origin" commit -q -m "change $i"
done
git -C "$scratch/origin" branch side HEAD~3
git clone -q "$scratch/origin" "$mount/local"
git clone -q "file://$scratch/origin" "$mount/protocol"
git clone -q --mirror "$mount/local" "$mount/mirror.git"
for clone in local protocol mirror.git; do
    git -C "$mount/$clone" fsck --full --strict --no-dangling
done
test "$(commits "$mount/protocol")" = "$(commits "$scratch/origin")"
test -z "$(git -C "$mount/local" status --porcelain)"
cd "$mount/local"
git checkout -q side 2>/dev/null || git checkout -q -b side origin/side
echo more >>a
git commit -q -a -m more
git rebase -q main || { git rebase --abort; git merge -q --no-edit -X ours main; }
git gc -q --prune=now
git fsck --full --strict --no-dangling
git push -q "$mount/mirror.git" side
git -C "$mount/mirror.git" fsck --full --strict --no-dangling
rm -rf "$mount/protocol"
echo "git: fsck finds no error"
