C     Fixed form with mpif.h, as programs of the nineties are written.
      program fixed
      implicit none
      include 'mpif.h'
      integer ierr, me, np, next, before, got, all, i
      integer status(MPI_STATUS_SIZE), requests(2)
      integer statuses(MPI_STATUS_SIZE, 2)
      double precision x(3), y(3), begun
      character*(MPI_MAX_PROCESSOR_NAME) node

      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, np, ierr)
      begun = MPI_WTIME()
      next = mod(me + 1, np)
      before = mod(me + np - 1, np)
      call MPI_IRECV(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 3,
     &               MPI_COMM_WORLD, requests(1), ierr)
      call MPI_ISEND(me, 1, MPI_INTEGER, next, 3,
     &               MPI_COMM_WORLD, requests(2), ierr)
      call MPI_WAITALL(2, requests, statuses, ierr)
      if (got .ne. before) call wrong(1)
      if (statuses(MPI_SOURCE, 1) .ne. before) call wrong(2)
      if (statuses(MPI_TAG, 1) .ne. 3) call wrong(3)
      do 10 i = 1, 3
         x(i) = me * i
   10 continue
C     Buffers of several types go to one procedure.
      call MPI_ALLREDUCE(x, y, 3, MPI_DOUBLE_PRECISION, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call MPI_ALLREDUCE(me, all, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      if (all .ne. np * (np - 1) / 2) call wrong(4)
      if (y(3) .ne. 3 * all) call wrong(5)
      call MPI_BCAST(x, 3, MPI_DOUBLE_PRECISION, np - 1,
     &               MPI_COMM_WORLD, ierr)
      if (x(2) .ne. 2 * (np - 1)) call wrong(6)
      call MPI_GET_PROCESSOR_NAME(node, i, ierr)
      if (node(1:15) .ne. 'dragonfly-1056-') call wrong(7)
      if (node(i+1:) .ne. ' ') call wrong(8)
      call MPI_RECV_INIT(got, 1, MPI_INTEGER, MPI_PROC_NULL, 0,
     &                   MPI_COMM_WORLD, requests(1), ierr)
      call MPI_START(requests(1), ierr)
      call MPI_WAIT(requests(1), status, ierr)
      if (status(MPI_SOURCE) .ne. MPI_PROC_NULL) call wrong(9)
      call MPI_REQUEST_FREE(requests(1), ierr)
      if (np .gt. 1 .and. MPI_WTIME() .le. begun) call wrong(10)
      call MPI_BARRIER(MPI_COMM_WORLD, ierr)
      if (me .eq. 0) print '(a,i0,a)', 'fixed: ', np, ' ranks: good'
      call MPI_FINALIZE(ierr)
      end

      subroutine wrong(where)
      implicit none
      include 'mpif.h'
      integer where, ierr
      print *, 'fixed: not so: ', where
      call MPI_ABORT(MPI_COMM_WORLD, 1, ierr)
      end
